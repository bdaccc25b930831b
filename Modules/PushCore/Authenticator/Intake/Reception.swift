/// One result of a message, or of asking a vendor.
public struct Reception: Hashable, Sendable {
    /// What came.
    @nonexhaustive
    public indirect enum Kind: Hashable, Sendable {
        /// A challenge waits for an answer, and whether its time has run out.
        case notice(Notice, Validity)
        /// A challenge was answered on this device already.
        case answered(Notice, Resolution)
        /// A challenge is over: remove its notification.
        case over(Withdrawal)
        /// A message is newer than this version understands.
        case incompatible(PushEvent.Incompatible)
        /// The vendor was asked about an enrollment, which now has this state.
        case enrollment(Enrollment)
        /// The vendor's inbox lists a message. Its text is from that list, never from a push.
        case inbox(Enrollment.ID, InboxMessage)
    }

    /// What came.
    public let kind: Kind

    /// Whether it is new to this device. Show and ring only if it is.
    public let isNew: Bool

    /// How many challenges came for this enrollment within the window of
    /// ``PushConfiguration/bursts``, if they are too many, or if the user called a recent one an
    /// attack: warn the user. Else `nil`.
    public let burst: Int?

    init(kind: Kind, isNew: Bool, burst: Int? = nil) {
        self.kind = kind
        self.isNew = isNew
        self.burst = burst
    }

    /// The same as something that was told before.
    var known: Reception { Reception(kind: kind, isNew: false, burst: burst) }

    /// The challenge it is about, if it is about one.
    public var challenge: Challenge.ID? {
        switch kind {
        case .notice(let notice, _), .answered(let notice, _): notice.id
        case .over(let withdrawal): withdrawal.id
        case .incompatible(let incompatible): incompatible.id
        case .enrollment, .inbox: nil
        }
    }
}

/// Whose a message is, and its results.
///
/// It is also the collection of its results, for loops.
public enum Receipt: Hashable, Sendable {
    /// The app's own: no linked plugin knows its form.
    case notOurs
    /// A plugin's, with nothing new to this device: show nothing, and don't ring.
    case nothingNew([Reception])
    /// A plugin's, with something new (``Reception/isNew``).
    case new([Reception])

    init(_ receptions: [Reception], isOurs: Bool = true) {
        self =
            !isOurs
            ? .notOurs
            : receptions.contains(where: \.isNew)
                ? .new(receptions) : .nothingNew(receptions)
    }

    /// Whether it is a plugin's.
    public var isOurs: Bool { self != .notOurs }

    /// What came of it.
    public var receptions: [Reception] {
        switch self {
        case .notOurs: []
        case .nothingNew(let receptions), .new(let receptions): receptions
        }
    }
}

extension Receipt: RandomAccessCollection {
    /// The position of the first.
    public var startIndex: Int { 0 }

    /// The position after the last.
    public var endIndex: Int { receptions.count }

    /// One of what came of the message.
    public subscript(position: Int) -> Reception { receptions[position] }
}
