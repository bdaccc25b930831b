extension ForgeRockSimulator {
    /// What an invitation offers, and how it looks.
    public struct EnrollmentOptions: Hashable, Sendable {
        /// What the user enrolls.
        @nonexhaustive
        public enum Kind: Hashable, Sendable {
            /// Push alone: `pushauth://push/…`.
            case push
            /// Push and time-based codes in one: `mfauth://totp/…`, from AM 7.3.
            case pushAndTOTP
            /// Push and counter-based codes in one: `mfauth://hotp/…`, from AM 7.3.
            case pushAndHOTP
        }

        /// What the user enrolls.
        public var kind: Kind

        /// The account shown on the device; the user's name if `nil`.
        public var account: String?

        /// The background color, six hexadecimal digits; a leading `#` is dropped.
        public var color = "032b75"

        /// The URL of a logo. A combined invitation carries it raw, as AM does, so there an `&` or
        /// `#` in it cuts the query.
        public var image: String?

        /// Device policies, as JSON text; only combined invitations carry them.
        public var policies: String?

        /// Creates options.
        public init(_ kind: Kind = .push, account: String? = nil) {
            self.kind = kind
            self.account = account
        }
    }
}
