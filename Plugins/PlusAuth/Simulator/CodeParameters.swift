extension PlusAuthSimulator.Configuration {
    /// What one-time codes are made with, and how invitations say so.
    public struct CodeParameters: Hashable, Sendable {
        /// The hash.
        @nonexhaustive
        public enum Algorithm: String, Hashable, Sendable, CaseIterable {
            /// HMAC with SHA-1.
            case sha1 = "SHA1"
            /// HMAC with SHA-256, the vendor's choice.
            case sha256 = "SHA256"
            /// HMAC with SHA-512.
            case sha512 = "SHA512"
        }

        /// The hash.
        public var algorithm = Algorithm.sha256

        /// How many digits a code has, 6 to 8.
        public var digits = 6

        /// How long a code lasts, in whole seconds.
        public var period = 30

        /// Whether invitations don't name algorithm, digits and period.
        public var isUnsaid = false

        /// Creates the documented parameters.
        public init() {}
    }
}
