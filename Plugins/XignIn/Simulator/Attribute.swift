extension XignInSimulator {
    /// A personal attribute that a service asks for.
    public struct Attribute: Hashable, Sendable {
        /// Whether the user can withhold it.
        @nonexhaustive
        public enum Requirement: String, Hashable, Sendable {
            /// Without it there is no login.
            case required
            /// The user decides.
            case optional
        }

        /// The attribute's name, such as `email`.
        public var name: String

        /// Whether the user can withhold it.
        public var requirement: Requirement

        /// What the manager knows; `{{user}}` is replaced. `nil` if it knows nothing.
        public var value: String?

        /// Creates an attribute.
        public init(_ name: String, _ requirement: Requirement, value: String?) {
            self.name = name
            self.requirement = requirement
            self.value = value
        }
    }
}
