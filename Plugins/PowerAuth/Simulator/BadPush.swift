public import PushCore

extension PowerAuthSimulator {
    /// What is wrong or unusual about an operation's first pushes; the operation is genuine.
    @nonexhaustive
    public enum BadPush: Hashable, Sendable {
        /// An extra is missing.
        case missing(extra: String)
        /// An extra is replaced, or added.
        case replaced(extra: String, value: JSON)
        /// They arrive twice.
        case repeated
        /// The back office cancels at once, and that message arrives first.
        case withdrawnFirst
        /// They don't arrive.
        case lost
    }
}
