/// The service that the user signs in to.
public struct ServiceInformation: Hashable, Sendable {
    /// Its identifier at the manager, which the user's answer names.
    public let id: String

    /// Its name, to show.
    public let name: String

    /// Creates a value.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
