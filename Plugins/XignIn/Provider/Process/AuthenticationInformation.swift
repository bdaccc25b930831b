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
