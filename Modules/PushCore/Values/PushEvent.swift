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
