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

    /// What the push service does with a push instead of delivering it once.
    @nonexhaustive
    public enum PushFault: Hashable, Sendable {
        /// It is kept back until ``OneSpanSimulator/releasePushes()``.
        case hold
        /// It is lost, and nobody learns of it.
        case drop
        /// It arrives twice.
        case duplicate
        /// The push service refuses it. The login learns of that only if pushes are sent
        /// synchronously.
        case refuse
    }

    /// What the customer's application server does with a command instead of relaying it.
    @nonexhaustive
    public enum RelayFault: Hashable, Sendable {
        /// It replies with this status; the command goes nowhere.
        case fail(status: Int)
        /// It replies with this status, although the platform has processed the command.
        case failAfterwards(status: Int)
        /// It relays, but its reply is late by this, on the simulator's clock.
        case delay(Duration)
        /// It relays, but drops the body of an error, and with it the error's command.
        case stripErrorBody
    }

    /// What happens to the platform's reply to a command that it has processed.
    @nonexhaustive
    public enum ReplyFault: Hashable, Sendable {
        /// One bit of the reply's command is turned, counted from its first.
        case corrupt(bit: Int)
        /// It is kept back until ``OneSpanSimulator/releaseReplies()``.
        case hold
        /// It is lost on its way: the customer's server gets 504.
        case lose
        /// The reply to an earlier command comes in its place.
        case previous
        /// An error that nobody authenticates comes in its place, such as an attacker makes.
        case clearError(Int32)
        /// A challenge or a result names another request, correctly sealed.
        case otherRequest
        /// A challenge has nothing to show, correctly sealed.
        case withoutDisplay
        /// A challenge has fields that end too early, correctly sealed.
        case undecodableDisplay
    }
}
