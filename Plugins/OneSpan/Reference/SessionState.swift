import PushOneSpan

/// What the server says of a session.
enum SessionState: UInt8, Sendable {
    case unknown = 0
    case pending = 1
    case accepted = 2
    case refused = 3
    case expired = 4
    case failed = 5

    /// Why a request that this device didn't decide is over.
    var outdated: SessionOutdatedReason {
        switch self {
        case .accepted: .accepted
        case .refused: .refused
        case .expired: .expired
        case .unknown, .pending, .failed: .unknown
        }
    }
}
