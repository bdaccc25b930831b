extension PowerAuthSimulator {
    /// What came of an offline signature.
    public enum OfflineVerdict: Hashable, Sendable {
        /// It is right, made with these factors.
        case accepted(SignatureType)
        /// It isn't, or it can't be checked now.
        case refused
    }
}
