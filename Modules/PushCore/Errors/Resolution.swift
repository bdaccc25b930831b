/// What the user chose.
public enum Resolution: Hashable, Sendable {
    /// A plain yes.
    case approve
    /// A yes that chooses an offered option, such as the number on the other screen.
    case choose(String)
    /// A yes that enters what the other screen shows.
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
    /// The user doesn't want to answer, and means nothing more.
    case ignore
    /// The user's or the app's own words.
    case custom(String)
}
