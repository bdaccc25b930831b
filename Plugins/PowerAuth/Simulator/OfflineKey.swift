extension PowerAuthSimulator {
    /// The key that signs an offline QR code.
    public enum OfflineKey: Hashable, Sendable {
        /// The application's, so any of its apps can read the code.
        case master
        /// That of the activation.
        case personalized
    }
}
