/// The user's decision, as a provider gets it. Only the core makes one.
public struct Decision: Sendable {
    /// What is answered.
    public let announcement: Announcement

    /// What the user chose.
    public let resolution: Resolution

    /// The challenge the user saw; `nil` only for a denial of a notice that was never opened.
    public let challenge: Challenge?

    /// The user's proofs, as the challenge asked for them; empty for a denial.
    public let evidence: [Evidence]

    /// Whether the same decision stands already, and another answer to it may have reached the vendor:
    /// one that wasn't kept whole, so that the user makes it again.
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

    /// The plugin's own additions, if they're of this type.
    public func extras<Extras: Sendable>(as type: Extras.Type) -> Extras? {
        rawExtras as? Extras
    }
}
