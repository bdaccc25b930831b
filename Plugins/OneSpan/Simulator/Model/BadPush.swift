extension OneSpanSimulator {
    /// What is wrong with a push that the platform itself would never send, while its request is
    /// genuine.
    @nonexhaustive
    public enum BadPush: Hashable, Sendable {
        /// One bit of the command is turned, counted from its first.
        case tampered(bit: Int)
        /// The command is sealed by a key of 32 zero bytes.
        case wrongKey
        /// The command is a reply's type rather than a request's, correctly sealed.
        case wrongType
        /// The command is addressed to another user's first device and sealed for it.
        case addressed(to: String)
        /// The times in the command are so far back that it ended this long ago, correctly sealed.
        case expired(ago: Duration)
        /// The command names a request that doesn't exist, correctly sealed.
        case unknownRequest
        /// The command has a field that nobody knows and nobody may ignore, correctly sealed.
        case unknownField
        /// The command is too long for a push: 769 bytes that look like one.
        case tooLong
        /// The content isn't hexadecimal.
        case notHexadecimal
        /// The payload names this version of its form.
        case version(Int)
        /// The payload has no content.
        case withoutContent
        /// It is fine, but arrives twice.
        case repeated
    }
}
