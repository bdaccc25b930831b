extension OneSpanSimulator {
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
