/// The user's decision, as a provider gets it. Only the core makes one.
public struct Decision: Sendable {
    /// The answered announcement.
    public let announcement: Announcement

    /// What the user chose.
    public let resolution: Resolution

    /// The challenge that the user saw; `nil` only for a denial of an unopened notice.
    public let challenge: Challenge?

    /// The user's proofs that the challenge asked for; empty for a denial.
    public let evidence: [Evidence]

    /// Whether the same decision is on record, and an answer that wasn't kept whole may have
    /// reached the vendor: the user makes it again.
    public let isMadeAgain: Bool

    private let rawExtras: (any Sendable)?

    package init(
        _ announcement: Announcement, _ resolution: Resolution, challenge: Challenge?,
        evidence: [Evidence], isMadeAgain: Bool = false, extras: (any Sendable)?
    ) {
        self.announcement = announcement
        self.resolution = resolution
        self.challenge = challenge
        self.evidence = evidence
        self.isMadeAgain = isMadeAgain
        rawExtras = extras
    }

    /// The plugin's own options, if they have this type.
    public func extras<Extras: Sendable>(as type: Extras.Type) -> Extras? {
        rawExtras as? Extras
    }
}
