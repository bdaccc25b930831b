/// What a service wants to know of the user.
public struct AuthenticationPersonalInformation: Hashable, Sendable {
    /// The attributes it asks for, in the manager's order.
    public let attributes: [AuthenticationInformation]

    /// Creates a value.
    public init(_ attributes: [AuthenticationInformation]) {
        self.attributes = attributes
    }

    /// An attribute by its name, such as `email`; `nil` if it isn't asked for.
    public subscript(name: String) -> AuthenticationInformation? {
        attributes.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The user's given name, if it is asked for.
    public var givenName: AuthenticationInformation? { self["givenName"] }

    /// The user's address for mail, if it is asked for.
    public var email: AuthenticationInformation? { self["email"] }

    /// The user's birth date, if it is asked for.
    public var birthdate: AuthenticationInformation? { self["birthdate"] }
}
