extension PowerAuthSimulator {
    /// What an offline QR code asks.
    public struct OfflineRequest: Hashable, Sendable {
        /// The identifier of the operation it shows.
        public var operation: String

        /// Its title. Newlines and backslashes are escaped in the code.
        public var title: String

        /// Its message.
        public var message: String

        /// What is approved.
        public var data: String

        /// The flags, one letter each: `B` lets biometry sign.
        public var flags = "B"

        /// Whether the code holds a one-time password.
        public var hasPassword = false

        /// Lines that no version knows yet; they need ``hasPassword``.
        public var futureLines: [String] = []

        /// Which key signs.
        public var key = OfflineKey.personalized

        /// Creates a request.
        public init(operation: String, title: String, message: String, data: String) {
            self.operation = operation
            self.title = title
            self.message = message
            self.data = data
        }
    }

    /// The key that signs an offline QR code.
    public enum OfflineKey: Hashable, Sendable {
        /// The application's, so any of its apps can read the code.
        case master
        /// That of the activation.
        case personalized
    }

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

    /// What came of an offline signature.
    public enum OfflineVerdict: Hashable, Sendable {
        /// It is right, made with these factors.
        case accepted(SignatureType)
        /// It isn't, or it can't be checked now.
        case refused
    }
}
