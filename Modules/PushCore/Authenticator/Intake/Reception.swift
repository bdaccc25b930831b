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

    /// How many challenges came for this enrollment within the window of ``Policies/bursts``. It is
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

/// A message that ``PushAuthenticator/accept(_:)`` took. It was verified, and what it announces is
/// on record. A message that proves nothing leaves no record: its vendor is being asked.
public struct AcceptedMessage: Sendable {
    /// What came of it; `[]` if its vendor must be asked first, or if no linked plugin knows it.
    public let receptions: [Reception]

    private let question: Task<Result<[Reception], PushError>, Never>?

    init(
        receptions: [Reception], question: Task<Result<[Reception], PushError>, Never>?
    ) {
        self.receptions = receptions
        self.question = question
    }

    /// Whether its vendor is asked. If so, only ``answer()`` tells what came of it.
    public var isQuestion: Bool { question != nil }

    /// Waits for the vendor's answer, if the vendor is asked.
    ///
    /// - Returns: What came of the message, as ``PushAuthenticator/receive(_:)`` returns it.
    /// - Throws: ``PushError`` if the vendor couldn't be asked, with the codes of
    ///   ``PushAuthenticator/pending(for:)``.
    public func answer() async throws(PushError) -> [Reception] {
        guard let question else { return receptions }
        return try await question.value.get()
    }
}
