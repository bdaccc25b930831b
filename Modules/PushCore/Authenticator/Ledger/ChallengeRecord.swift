/// What the ledger knows of one challenge.
public struct ChallengeRecord: Hashable, Sendable, Identifiable {
    /// Where a challenge stands on this device.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// It waits for the user.
        case open
        /// The user decided; the vendor's word isn't known yet, and the decision is sent until it
        /// is.
        case decided(Resolution)
        /// The user decided, and this is the vendor's final word.
        case answered(Resolution, Outcome)
        /// It ended without a decision on this device.
        case over(Withdrawal)
    }

    /// What announced it.
    public let notice: Notice

    /// Where it stands.
    public let state: State

    /// The challenge.
    public var id: Challenge.ID { notice.id }
}
