/// What a provider made of an announcement that the user opened.
public struct Opened: Sendable {
    /// What is asked.
    public let challenge: Challenge

    /// What replaces the announcement's context in the ledger; `nil` leaves it as it is.
    public let context: Secret?

    /// Creates one.
    public init(_ challenge: Challenge, context: Secret? = nil) {
        self.challenge = challenge
        self.context = context
    }
}
