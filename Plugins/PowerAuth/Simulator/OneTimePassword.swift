extension PowerAuthSimulator {
    /// The one-time password of an activation, and who has to know it.
    public enum OneTimePassword: Hashable, Sendable {
        /// The device sends it with its key; if it's right, the activation is active at once.
        case onKeyExchange(String)
        /// Whoever commits has to know it; a device that sends it is refused.
        case onCommit(String)
    }
}
