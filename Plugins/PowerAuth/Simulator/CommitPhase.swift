extension PowerAuthSimulator {
    /// When an activation becomes active.
    public enum CommitPhase: Hashable, Sendable {
        /// When the back office says so.
        case onCommit
        /// As soon as keys are exchanged.
        case onKeyExchange
    }
}
