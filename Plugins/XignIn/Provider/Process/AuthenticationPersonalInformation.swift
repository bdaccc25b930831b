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

/// One attribute of the user that a service asks for.
public struct AuthenticationInformation: Hashable, Sendable {
    /// Whether the user may keep an attribute back.
    public enum Requirement: String, Hashable, Sendable {
        /// Without it there is no sign-in.
        case required
        /// The user decides.
        case optional
    }

    /// Its name, such as `email`.
    public let name: String

    /// Whether the user may keep it back.
    public let requirement: Requirement

    /// What the manager would tell; `nil` if it has no value.
    public let value: String?

    /// Creates a value.
    public init(name: String, requirement: Requirement, value: String?) {
        self.name = name
        self.requirement = requirement
        self.value = value
    }

    /// Whether there is no sign-in without it.
    public var isRequired: Bool { requirement == .required }
}
