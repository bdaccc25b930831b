/// Hears what the SDK refused or found odd, and how each challenge goes, for the app's own log,
/// counters and traces.
///
/// The SDK itself logs nothing.
public protocol PushObserver: Sendable {
    /// Takes one observation. It must return at once.
    func observe(_ observation: PushObservation)

    /// Takes one step of a challenge's way from push to outcome. It must return at once.
    ///
    /// An observer without it hears of no step.
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
        /// Somebody may be attacking. `pinMismatch` or `untrustedServer`: a server couldn't be
        /// trusted with a request, and nothing was sent; a certificate may just have expired.
        /// `untrusted`: an account's own key signed something that its vendor never signs, so
        /// somebody else may have that key.
        case security(PushError.Code)
        /// A record of the store can't be read. Its content is left out until the record is
        /// removed, or is made or given again.
        case damaged(Record)
        /// Something was odd, but isn't a reason to refuse.
        case noticed
    }

    /// What a record of the store holds.
    @nonexhaustive
    public enum Record: Hashable, Sendable {
        /// An enrollment, and what its provider needs for it.
        case credential
        /// What is known of a challenge.
        case challenge
        /// The newest device token.
        case deviceToken
        /// The count of recent challenges, by which a burst is recognized.
        case challengeCount
        /// Which messages of an inbox this device has been told of.
        case inbox
        /// Which enrollment has a value that only one may have.
        case claim
    }

    /// How serious it is.
    public let kind: Kind

    /// The provider that was at work, if one was.
    public let provider: ProviderID?

    /// What happened: one of the SDK's own fixed sentences.
    public let summary: String

    /// The enrollment that it is about, if that is known, such as one with a damaged record or a
    /// misused key.
    public let enrollment: Enrollment.ID?

    /// How often the authenticator has refused with this code and provider since it was made, this
    /// time included; 1 for anything but a refusal.
    public let count: Int

    /// Creates an observation; the type of the summary keeps content out.
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
