/// The organization that asks for a sign-in; some operators are required by law to show it before
/// the user confirms.
public struct OrganizationInformation: Hashable, Sendable {
    /// Its name.
    public let name: String?

    /// Its web site, as text: never opened by the SDK.
    public let website: String?

    /// Its address.
    public let address: String?

    /// What it says of itself.
    public let description: String?

    /// Creates a value.
    public init(
        name: String? = nil, website: String? = nil, address: String? = nil,
        description: String? = nil
    ) {
        self.name = name
        self.website = website
        self.address = address
        self.description = description
    }
}
