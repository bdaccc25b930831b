/// Why a challenge is over.
@nonexhaustive
public enum WithdrawalReason: String, Hashable, Sendable {
    /// It was answered on another device.
    case elsewhere
    /// The vendor or the relying party took it back.
    case cancelled
    /// It was completed.
    case finished
    /// Its time ran out.
    case expired
    /// The vendor doesn't say.
    case unknown
}
