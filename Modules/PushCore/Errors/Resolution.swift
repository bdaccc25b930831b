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

/// What the core and programs ask of a reason. What a vendor is told is its plugin's to say.
extension DenyReason {
    /// The reasons without a text of their own, the usual one first.
    public static let plain: [DenyReason] = [.unexpected, .fraud, .ignore]

    /// Finds a plain reason by its name; `nil` for any other text.
    public init?(name: String) {
        guard let reason = Self.plain.first(where: { $0.name == name }) else { return nil }
        self = reason
    }

    /// Its name in records and on a command line, without its text.
    public var name: String {
        switch self {
        case .unexpected: "unexpected"
        case .fraud: "fraud"
        case .ignore: "ignore"
        case .custom: "custom"
        }
    }

    /// Whether the user reports an attack, so that this device flags what comes next.
    var raisesAlarm: Bool {
        switch self {
        case .fraud: true
        case .unexpected, .ignore, .custom: false
        }
    }
}
