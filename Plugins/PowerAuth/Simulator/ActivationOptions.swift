extension PowerAuthSimulator {
    /// How a back office creates an activation.
    public struct ActivationOptions: Hashable, Sendable {
        /// The one-time password of the activation; `nil` for none.
        public var password: OneTimePassword?

        /// When the activation becomes active.
        public var commitPhase = CommitPhase.onCommit

        /// The flags it has, such as `VERIFICATION_PENDING`.
        public var flags: Set<String> = []

        /// The key of its application; the first application's if `nil`.
        public var applicationKey: String?

        /// Creates the usual options: no password, and the back office commits.
        public init() {}
    }
}
