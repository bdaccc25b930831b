extension PowerAuthSimulator {
    /// An offline QR code.
    public struct OfflineCode: Hashable, Sendable, Identifiable {
        /// What the server knows it by.
        public let id: String

        /// The text of the QR code.
        public let text: String

        /// The nonce in it, 16 bytes in Base64.
        public let nonce: String

        /// The one-time password in it, if there is one.
        public let password: String?
    }
}
