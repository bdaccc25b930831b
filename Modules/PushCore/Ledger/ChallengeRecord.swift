/// What the ledger knows of one challenge.
public struct ChallengeRecord: Hashable, Sendable, Identifiable {
    /// Where a challenge stands on this device.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// The challenge waits for the user.
        case open
        /// The user decided. The decision is sent until the vendor's word is known.
        case decided(Resolution)
        /// The user decided, and this is the vendor's final word.
        case answered(Resolution, Outcome)
        /// The challenge ended without a decision on this device.
        case over(Withdrawal)

        /// What the user decided on this device; `nil` if nothing.
        public var resolution: Resolution? {
            switch self {
            case .decided(let resolution), .answered(let resolution, _): resolution
            case .open, .over: nil
            }
        }
    }

    /// The notice that announced the challenge.
    public let notice: Notice

    /// Where the challenge stands.
    public let state: State

    /// The challenge.
    public var id: Challenge.ID { notice.id }
}
