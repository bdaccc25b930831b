/// Opens and answers a vendor's challenges. The core calls every method in the enrollment's turn.
public protocol Resolver: Sendable {
    /// What an announcement asks. The user opened it, so it may fetch, and may claim it.
    ///
    /// - Throws: ``PushError``, such as `unreachable`, `server`, `untrusted`, `malformed`,
    ///   `unsupported` or `storage`. If the vendor provably said that the challenge is over,
    ///   ``PushError/ends`` says why, and the core closes the challenge for good, whatever the
    ///   code. After `unknownEnrollment` the core closes all open challenges of the enrollment.
    ///   After any other error the challenge stays open.
    func challenge(for announcement: Announcement) async throws(PushError) -> Opened

    /// Makes the exact bytes of an answer. It signs, and sends nothing.
    ///
    /// - Throws: ``PushError``: `invalidResolution` if the resolution can't be put in the vendor's
    ///   form, `verificationFailed` if a proof is missing, `blocked`, `unknownEnrollment`, or
    ///   `storage` and `malformed` if a record can't be used. Nothing is recorded then.
    func prepare(_ decision: Decision) async throws(PushError) -> Answer

    /// Sends an answer and says what the vendor said.
    ///
    /// - Parameters:
    ///   - answer: What ``prepare(_:)`` made.
    ///   - announcement: What it answers.
    ///   - again: Whether a copy may have reached the vendor before. Then "already answered" is
    ///     perhaps this device's own doing.
    /// - Returns: The vendor's final word, and what the next answer takes if it lets the user try
    ///   again. ``Outcome/unknown(_:)`` is final too: the vendor can't say more.
    /// - Throws: ``PushError`` `unreachable`, `interrupted`, or `server` with a status from 500 or
    ///   429: the decision stays on record and is sent again later. Any other error reaches the
    ///   caller at once; the decision stays on record then, too.
    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply

    /// What the vendor says about a challenge.
    ///
    /// - Parameters:
    ///   - announcement: What announced it.
    ///   - kept: What was kept of the answer to it: its bytes, or a part of them (``Kept``); `nil` if
    ///     nothing was, or nothing is decided.
    /// - Returns: Whether it is open or over; ``Challenge/Status/unknown`` if the vendor can't say.
    /// - Throws: ``PushError``: `unreachable`, `interrupted` or `server` if the vendor couldn't be
    ///   asked, and the core asks again later; `unknownEnrollment`, `untrusted` or `malformed`.
    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status

    /// What waits for an answer, found without a push.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment to ask for.
    ///   - hint: What led to asking, if a message did.
    /// - Returns: What the vendor lists, and whether that is all.
    /// - Throws: ``PushError``: `unknownEnrollment` if the vendor no longer has the enrollment;
    ///   `unreachable`, `interrupted`, `server`, `untrusted` or `malformed` if the vendor couldn't
    ///   be asked; `listRefused` if it said that nobody may: then the core asks no more, until the
    ///   app asks for the enrollment (``PushAuthenticator/refresh(_:)``) or starts again.
    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending
}

extension Resolver {
    /// The vendor can't say.
    ///
    /// - Throws: Nothing.
    public func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        .unknown
    }

    /// The vendor has no list.
    ///
    /// - Throws: Nothing.
    public func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        Pending([], isComplete: false)
    }
}

/// What a provider made of an announcement that the user opened.
public struct Opened: Sendable {
    /// What is asked.
    public let challenge: Challenge

    /// What replaces the announcement's context in the ledger; `nil` leaves it as it is.
    public let context: Secret?

    /// Creates one.
    public init(_ challenge: Challenge, context: Secret? = nil) {
        self.challenge = challenge
        self.context = context
    }
}

/// What a vendor lists as waiting for an answer.
public struct Pending: Sendable {
    /// The challenges that it lists.
    public var announcements: [Announcement]

    /// Whether that is every open challenge of the enrollment.
    ///
    /// The core trusts a complete list: it asks the vendor about each open challenge that isn't
    /// listed (``Resolver/status(of:kept:)``), and closes those that the vendor says are over; or
    /// closes them all, where ``endsUnlisted`` says why. Set it only for a list that the vendor
    /// documents as complete, and of which every entry could be read.
    public var isComplete: Bool

    /// Why a challenge is over that a complete list lacks, if the vendor has exactly the open ones on
    /// its list; `nil` if a list proves no such thing.
    ///
    /// The core then closes, without another question, what was open here before it asked. What is
    /// announced while it asks stays open, and so does what the user has decided; and for 30 seconds
    /// what was pushed and never listed, as a server may push first and record the challenge after.
    public var endsUnlisted: Withdrawal.Reason?

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - announcements: The challenges that wait.
    ///   - isComplete: Whether those are all of the enrollment's.
    ///   - endsUnlisted: Why a challenge is over that a complete list lacks, if the list proves that.
    public init(
        _ announcements: [Announcement], isComplete: Bool, endsUnlisted: Withdrawal.Reason? = nil
    ) {
        self.announcements = announcements
        self.isComplete = isComplete
        self.endsUnlisted = endsUnlisted
    }
}
