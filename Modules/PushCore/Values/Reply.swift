/// What a vendor said to an answer.
public struct Reply: Sendable {
    /// Its final word.
    public let outcome: Outcome

    /// What replaces the announcement's context in the ledger, such as what another try must answer;
    /// `nil` leaves it as it is.
    public let context: Secret?

    /// Creates a reply.
    public init(_ outcome: Outcome, context: Secret? = nil) {
        self.outcome = outcome
        self.context = context
    }
}
