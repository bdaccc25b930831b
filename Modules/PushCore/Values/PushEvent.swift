#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a provider makes of a message.
@nonexhaustive
public enum PushEvent: Sendable {
    /// A challenge waits for an answer.
    case notice(Announcement)
    /// A challenge is over.
    case withdrawal(Withdrawal)
    /// Genuine, but newer than this version understands.
    case incompatible(IncompatibleChallenge)
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

/// A message that proves nothing: a reason to ask the vendor, never something to show.
public struct Hint: Sendable {
    /// What to ask about.
    @nonexhaustive
    public enum Topic: Hashable, Sendable {
        /// What waits for an answer.
        case challenges
        /// Whether the challenge with this name is over.
        case finished(String)
        /// The enrollment's own state.
        case enrollment
        /// What is new in the inbox.
        case inbox
    }

    /// Which enrollments to ask.
    public let enrollments: Set<Enrollment.ID>

    /// What to ask about.
    public let topic: Topic

    /// What the provider needs to ask: a sealed command, a code from a link.
    public let context: Secret?

    /// Creates a hint.
    public init(_ topic: Topic, at enrollments: Set<Enrollment.ID>, context: Secret? = nil) {
        self.topic = topic
        self.enrollments = enrollments
        self.context = context
    }
}

/// A genuine message that is newer than this version understands.
public struct IncompatibleChallenge: Hashable, Sendable {
    /// The challenge it is about.
    public let id: Challenge.ID

    /// The vendor's name for what isn't understood.
    public let kind: String

    /// The version that would understand it, if the vendor says so.
    public let minimumVersion: String?

    /// Whether the vendor allows the app to drop it silently.
    public let isIgnorable: Bool

    /// Whether it takes the challenge back.
    public let withdraws: Bool

    /// The moment after which the challenge is over, by the vendor's clock; `nil` if it isn't known.
    public let expiry: Date?

    /// Creates a value; its texts are made safe to show.
    public init(
        _ id: Challenge.ID, kind: String, minimumVersion: String? = nil,
        isIgnorable: Bool = false, withdraws: Bool = false, expiry: Date? = nil
    ) {
        self.id = id
        self.kind = DisplayText.sanitized(kind, .label)
        self.minimumVersion = DisplayText.sanitized(minimumVersion, .label)
        self.isIgnorable = isIgnorable
        self.withdraws = withdraws
        self.expiry = expiry
    }
}
