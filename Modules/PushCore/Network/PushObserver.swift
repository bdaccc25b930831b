/// Gets what the SDK refused or found odd, and each challenge's steps, for the app's log, counters
/// and traces.
///
/// The SDK itself logs nothing.
public protocol PushObserver: Sendable {
    /// Takes one observation. It must return at once.
    func observe(_ observation: PushObservation)

    /// Takes one step of a challenge from push to outcome. It must return at once.
    ///
    /// The default drops it.
    func observe(_ step: ObservedStep)
}

extension PushObserver {
    /// Drops the step.
    public func observe(_ step: ObservedStep) {}
}

/// An observer that drops everything.
public struct SilentObserver: PushObserver {
    /// Creates an observer.
    public init() {}

    /// Drops the observation.
    public func observe(_ observation: PushObservation) {}
}

/// Something the SDK refused or found odd. It holds no content of any message.
public struct PushObservation: Hashable, Sendable {
    /// How serious it is.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A message, reply or invitation was refused.
        case refused(PushError.Code)
        /// Perhaps an attack. `pinMismatch` or `untrustedServer`: the server wasn't trusted, and
        /// nothing was sent; its certificate may just have expired. `untrusted`: an account's own
        /// key signed something that its vendor never signs, so somebody else may have that key.
        case security(PushError.Code)
        /// A record of the store can't be read. Its content is left out until the record is removed
        /// or written again.
        case damaged(Record)
        /// So many challenges of an enrollment wait for the user that the oldest was closed for a new
        /// one.
        case challengesFull
        /// Something odd that is no reason to refuse.
        case noticed
    }

    /// What a record of the store holds.
    @nonexhaustive
    public enum Record: Hashable, Sendable {
        /// An enrollment with its provider's half.
        case credential
        /// What is known of a challenge.
        case challenge
        /// The newest device token.
        case deviceToken
        /// Which enrollment has a value that must be unique.
        case claim
    }

    /// How serious it is.
    public let kind: Kind

    /// The provider that was at work, if any.
    public let provider: ProviderID?

    /// What happened: one of the SDK's own fixed sentences.
    public let summary: String

    /// The enrollment, if known, such as one with a damaged record or a misused key.
    public let enrollment: Enrollment.ID?

    /// How often the authenticator has refused with this code and provider so far, this time
    /// included; 1 for anything but a refusal.
    public let count: Int

    /// Creates an observation. The summary's type keeps content out.
    public init(
        _ kind: Kind, _ summary: StaticString, provider: ProviderID?,
        enrollment: Enrollment.ID? = nil, count: Int = 1
    ) {
        self.kind = kind
        self.provider = provider
        self.enrollment = enrollment
        self.summary = "\(summary)"
        self.count = count
    }
}
