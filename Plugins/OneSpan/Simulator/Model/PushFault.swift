extension OneSpanSimulator {
    /// What the push service does with a push instead of delivering it once.
    @nonexhaustive
    public enum PushFault: Hashable, Sendable {
        /// It is kept back until ``OneSpanSimulator/releasePushes()``.
        case hold
        /// It is lost, and nobody learns of it.
        case drop
        /// It arrives twice.
        case duplicate
        /// The push service refuses it. The login learns of that only if pushes are sent
        /// synchronously.
        case refuse
    }
}
