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
}
