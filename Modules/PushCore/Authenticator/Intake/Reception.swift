/// What came of a message, or of asking a vendor.
public struct Reception: Hashable, Sendable {
    /// What came.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A challenge waits for an answer, and whether its time has run out.
        case notice(Notice, Validity)
        /// A challenge was answered on this device already.
        case answered(Notice, Resolution)
        /// A challenge is over: take its notification away.
        case over(Withdrawal)
        /// A message is newer than this version understands.
        case incompatible(IncompatibleChallenge)
        /// An enrollment was asked about; this is its state.
        case enrollment(Enrollment)
        /// The vendor's inbox lists a message. It is what the vendor listed, never what a push said.
        case inbox(Enrollment.ID, InboxMessage)
    }

    /// What came.
    public let kind: Kind

    /// Whether this device hears of it for the first time. Show and ring only for what is new.
    public let isNew: Bool

    /// How many challenges came for this enrollment within the window of ``PushConfiguration/bursts``. It is
    /// `nil` unless they are too many, or the user called a recent one an attack. If there is a
    /// number, warn the user.
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

/// Whose a message was, and what came of it.
///
/// It is also the collection of what came, so that it can be gone through at once.
public enum Receipt: Hashable, Sendable {
    /// No linked plugin knows its form: it's the app's own.
    case notOurs
    /// A plugin's, and nothing in it is new to this device: there's nothing to show or to ring for.
    case nothingNew([Reception])
    /// A plugin's, and something in it is new (``Reception/isNew``).
    case new([Reception])

    init(_ receptions: [Reception], isOurs: Bool = true) {
        self =
            !isOurs
            ? .notOurs
            : receptions.contains(where: \.isNew)
                ? .new(receptions) : .nothingNew(receptions)
    }

    /// Whether it was a plugin's.
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

/// A message that ``PushAuthenticator/accept(_:)`` took. It was verified, and what it announces is
/// on record. A message that proves nothing leaves no record: its vendor is being asked.
public struct AcceptedMessage: Sendable {
    /// Whose it was, and what came of it. It has nothing yet if its vendor must be asked first.
    public let receipt: Receipt

    private let question: Task<Result<Receipt, PushError>, Never>?

    init(_ receipt: Receipt, question: Task<Result<Receipt, PushError>, Never>? = nil) {
        self.receipt = receipt
        self.question = question
    }

    /// Whether its vendor is asked. If so, only ``answer()`` tells what came of it.
    public var isQuestion: Bool { question != nil }

    /// Waits for the vendor's answer, if the vendor is asked.
    ///
    /// - Returns: What came of the message, as ``PushAuthenticator/receive(_:)`` returns it.
    /// - Throws: ``PushError`` if the vendor couldn't be asked, with the codes of
    ///   ``PushAuthenticator/pending(for:)``; `cancelled` if the caller's task is. The question goes
    ///   on then.
    public func answer() async throws(PushError) -> Receipt {
        guard let question else { return receipt }
        return try await question.valueWhileWanted().get()
    }
}
