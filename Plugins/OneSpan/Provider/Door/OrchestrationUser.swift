/// A user on this device, as OneSpan's multi-user management has it.
public struct OrchestrationUser: Hashable, Sendable {
    /// The user identifier, byte for byte as registered.
    public let userIdentifier: String

    /// The user's domain; `nil` if the engine doesn't tell.
    public let domain: String?

    /// Creates a user.
    public init(_ userIdentifier: String, domain: String? = nil) {
        self.userIdentifier = userIdentifier
        self.domain = domain
    }
}
