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

    /// When an activation becomes active.
    public enum CommitPhase: Hashable, Sendable {
        /// When the back office says so.
        case onCommit
        /// As soon as keys are exchanged.
        case onKeyExchange
    }

    /// The one-time password of an activation, and who has to know it.
    public enum OneTimePassword: Hashable, Sendable {
        /// The device sends it with its key; if it's right, the activation is active at once.
        case onKeyExchange(String)
        /// Whoever commits has to know it; a device that sends it is refused.
        case onCommit(String)
    }
}
