/// What a provider makes of a message.
@nonexhaustive
public enum PushEvent: Sendable {
    /// A challenge waits for an answer.
    case notice(Announcement)
    /// A challenge is over.
    case withdrawal(Withdrawal)
    /// Genuine, but newer than this version understands.
    case incompatible(Incompatible)
    /// Proves nothing: a reason to ask the vendor.
    case hint(Hint)

    /// Refuses an event about another provider's enrollment: nobody verifies with another's keys.
    func requireOrigin(_ provider: ProviderID) throws(PushError) {
        let isOwn =
            switch self {
            case .notice(let announcement): announcement.notice.id.enrollment.provider == provider
            case .withdrawal(let withdrawal): withdrawal.id.enrollment.provider == provider
            case .incompatible(let incompatible): incompatible.id.enrollment.provider == provider
            case .hint(let hint): hint.enrollments.allSatisfy { $0.provider == provider }
            }
        guard isOwn else {
            throw PushError(
                .untrusted, "The provider spoke of another's enrollment.", provider: provider)
        }
    }

    /// The provider it came from; `nil` for a hint that names no enrollment.
    public var provider: ProviderID? {
        switch self {
        case .notice(let announcement): announcement.notice.id.enrollment.provider
        case .withdrawal(let withdrawal): withdrawal.id.enrollment.provider
        case .incompatible(let incompatible): incompatible.id.enrollment.provider
        case .hint(let hint): hint.enrollments.first?.provider
        }
    }
}
