/// What the user chose.
public enum Resolution: Hashable, Sendable {
    /// Yes, to a challenge that asks for nothing more.
    case approve
    /// Yes, by choosing one of the offered options, such as the number on the other screen.
    case choose(String)
    /// Yes, by entering what the other screen shows.
    case enter(String)
    /// No.
    case deny(DenyReason)

    /// Whether it is a no.
    public var isDenial: Bool {
        if case .deny = self { true } else { false }
    }
}

/// Why the user said no. A plugin maps it to what its vendor knows.
@nonexhaustive
public enum DenyReason: Hashable, Sendable {
    /// The user doesn't expect this challenge.
    case unexpected
    /// The user takes it for an attack.
    case fraud
    /// The user doesn't want to answer; it means nothing more.
    case ignore
    /// The user's or the app's own words.
    case custom(String)
}

extension Resolution: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        let text = try members.optional("text") { $0.string }
        switch (try members.required("is", { $0.string }), text) {
        case ("approve", _): self = .approve
        case ("choose", let text?): self = .choose(text)
        case ("enter", let text?): self = .enter(text)
        case ("unexpected", _): self = .deny(.unexpected)
        case ("fraud", _): self = .deny(.fraud)
        case ("ignore", _): self = .deny(.ignore)
        case ("custom", let text?): self = .deny(.custom(text))
        default: throw PushError(.malformed, "A record holds an unknown resolution.")
        }
    }

    var json: JSON {
        switch self {
        case .approve: ["is": "approve"]
        case .choose(let text): ["is": "choose", "text": .string(text)]
        case .enter(let text): ["is": "enter", "text": .string(text)]
        case .deny(.unexpected): ["is": "unexpected"]
        case .deny(.fraud): ["is": "fraud"]
        case .deny(.ignore): ["is": "ignore"]
        case .deny(.custom(let text)): ["is": "custom", "text": .string(text)]
        }
    }
}

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

    /// Whether the same decision is on record already, and another answer to it may have reached
    /// the vendor. That answer wasn't kept whole, so the user makes it again.
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
