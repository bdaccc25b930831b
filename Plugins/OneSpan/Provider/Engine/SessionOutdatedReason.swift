/// Why a request is no longer pending: OneSpan's `SessionOutdatedReason`.
public enum SessionOutdatedReason: Hashable, Sendable {
    /// Its time is over.
    case expired
    /// It was accepted, by another device or an earlier answer.
    case accepted
    /// It was refused, by another device or an earlier answer.
    case refused
    /// The server doesn't say.
    case unknown
}
