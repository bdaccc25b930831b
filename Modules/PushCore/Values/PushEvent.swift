#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a provider makes of a message.
@nonexhaustive
public indirect enum PushEvent: Sendable {
    /// A challenge waits for an answer.
    case notice(Announcement)
    /// A challenge is over.
    case withdrawal(Withdrawal)
    /// The message is genuine, but newer than this version understands.
    case incompatible(PushEvent.Incompatible)
    /// The message proves nothing: ask the vendor.
    case hint(PushEvent.Hint)

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

    /// The message's provider; `nil` for a hint without an enrollment.
    public var provider: ProviderID? {
        switch self {
        case .notice(let announcement): announcement.notice.id.enrollment.provider
        case .withdrawal(let withdrawal): withdrawal.id.enrollment.provider
        case .incompatible(let incompatible): incompatible.id.enrollment.provider
        case .hint(let hint): hint.enrollments.first?.provider
        }
    }
}

extension PushEvent {
    /// A message that proves nothing. It only makes the core ask the vendor, and is never shown.
    public struct Hint: Sendable {
        /// What to ask about.
        @nonexhaustive
        public enum Topic: Hashable, Sendable {
            /// The challenges that wait for an answer.
            case challenges
            /// The challenge with this name: is it over?
            case finished(String)
            /// The enrollment's own state.
            case enrollment
            /// New inbox messages.
            case inbox
        }

        /// The enrollments to ask for.
        public let enrollments: Set<Enrollment.ID>

        /// What to ask about.
        public let topic: Topic

        /// The provider's own data for the question, such as a sealed command or a code from a
        /// link.
        public let context: Secret?

        /// Creates a hint.
        public init(_ topic: Topic, at enrollments: Set<Enrollment.ID>, context: Secret? = nil) {
            self.topic = topic
            self.enrollments = enrollments
            self.context = context
        }
    }
}

/// The news that a challenge is over.
public struct Withdrawal: Hashable, Sendable {
    /// Why a challenge is over.
    public typealias Reason = WithdrawalReason

    /// The challenge.
    public let id: Challenge.ID

    /// Why the challenge is over.
    public let reason: Reason

    /// Whether the vendor lets the app drop it silently.
    public let isIgnorable: Bool

    /// When the challenge can't come any more, by the vendor's clock, if the vendor says so. A
    /// withdrawal that comes before its challenge is remembered until then.
    public let expiry: Date?

    /// Creates a withdrawal.
    public init(
        _ id: Challenge.ID, _ reason: Reason, isIgnorable: Bool = false, expiry: Date? = nil
    ) {
        self.id = id
        self.reason = reason
        self.isIgnorable = isIgnorable
        self.expiry = expiry
    }
}

extension Withdrawal: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("id", Challenge.ID.init(json:)),
            try members.required("reason") { $0.string.flatMap(Reason.init(rawValue:)) },
            isIgnorable: try members.required("ignorable") { $0.bool },
            expiry: try members.optional("expiry") { $0.date })
    }

    var json: JSON {
        [
            "id": id.json, "reason": .string(reason.rawValue), "ignorable": .bool(isIgnorable),
            "expiry": expiry.map { JSON($0) } ?? .null,
        ]
    }
}

extension PushEvent {
    /// A genuine message that is newer than this version understands.
    public struct Incompatible: Hashable, Sendable {
        /// The challenge it is about.
        public let id: Challenge.ID

        /// The vendor's name for the unknown kind.
        public let kind: String

        /// The oldest version that understands it, if the vendor says so.
        public let minimumVersion: String?

        /// Whether the vendor lets the app drop it silently.
        public let isIgnorable: Bool

        /// Whether it withdraws the challenge.
        public let withdraws: Bool

        /// When the challenge expires, by the vendor's clock, if known.
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
}
