public import PushCore

/// Why a request is no longer pending: OneSpan's `SessionOutdatedReason`.
///
/// It is the server's own word, so the error of a request that was fetched too late closes the
/// challenge.
public enum SessionOutdatedReason: Hashable, Sendable {
    /// Its time is over.
    case expired
    /// It was accepted, by another device or an earlier answer.
    case accepted
    /// It was refused, by another device or an earlier answer.
    case refused
    /// The server doesn't say.
    case unknown

    /// The same in the core's terms.
    public var reason: Withdrawal.Reason {
        switch self {
        case .expired: .expired
        case .accepted, .refused: .elsewhere
        case .unknown: .unknown
        }
    }
}
