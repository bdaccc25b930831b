extension PowerAuthSimulator {
    /// The states of an activation, with their numbers in the status blob.
    public enum ActivationState: UInt8, Hashable, Sendable {
        /// A code was made, nobody has used it.
        case created = 1
        /// A device exchanged keys; the back office hasn't confirmed it yet.
        case pendingCommit
        /// The device can sign.
        case active
        /// Too many wrong signatures, or the back office's wish.
        case blocked
        /// For good.
        case removed
    }
}
