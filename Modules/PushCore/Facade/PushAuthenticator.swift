/// The one object that an app holds: it enrolls, receives, asks, answers, and remembers.
///
/// What a notification says is never believed: a challenge is opened and denied by its identifier.
/// It records every decision before sending it, and sends it until the vendor's word is known.
///
/// It keeps nothing itself. Each of its parts has one matter and private state. What must outlive
/// the process is in the enrollment's one document, where each challenge has a row:
///
/// ```text
///  push, scan, link          poll, pending, a hint        the user
///        │                          │                        │
///        ▼                          ▼                        ▼
///     Intake                   PendingLists               challenge(_:)
///  verified by its          what the vendor lists,      opened by its provider,
///  provider: who says it?   what its list no longer has  in the enrollment's turn
///        └───────────┬──────────────┘                        │
///                    ▼                                       ▼
///             ArrivalRecorder ──▶  the row: OPEN  ◀──── the provider's note
///          new? late? a burst?        │  │  ▲
///                                     │  │  └── the vendor: not taken, try again
///     withdrawn, expired, ends        │  │                   ▲
///          ┌──────────────────────────┘  ▼                   │
///          ▼                          Decisions ──▶ the user is verified,
///     the row: OVER                      │          the answer is prepared
///          ▲                             ▼                   │
///          │                      the row: DECIDED ──────────┤ durable before the first byte
///          │                             │                   │
///          │      cancelled, expired     ▼                   ▼
///          └───────────────────────── Outbox ───────▶ sent, asked about, sent again
///                                        │            (Retries, Resumption, a lease)
///                                        ▼
///                                 the row: ANSWERED, with the vendor's outcome
///                                        │
///                                        ▼
///                     a trace by which a replay is known, until none can open it again
/// ```
public actor PushAuthenticator {
    let core: AuthenticatorCore
    let servers: KnownServers
    let challenges: ChallengeLifecycle
    let tokens: DeviceTokens
    let turns: EnrollmentTurns
    let decisions: Decisions
    let resumption: Resumption
    let retries: Retries
    let intake: Intake
    let lists: PendingLists
    let questions: HintQuestions
    let polling: PollingLoop
    let housekeeping: Housekeeping

    /// Creates an authenticator for providers that were made before it.
    ///
    /// - Parameters:
    ///   - registry: The providers that the app has linked.
    ///   - environment: What the providers were made with; at least the same store and clock.
    ///   - configuration: How it delivers, remembers and warns.
    public init(
        _ registry: PluginRegistry, in environment: PushEnvironment,
        configuration: PushConfiguration = PushConfiguration()
    ) {
        core = AuthenticatorCore(registry, in: environment, configuration: configuration)
        servers = KnownServers(core)
        challenges = ChallengeLifecycle(core)
        tokens = DeviceTokens(core)
        retries = Retries(core, servers)
        turns = EnrollmentTurns(core, servers, challenges, tokens, retries)
        let outbox = Outbox(core, servers, challenges, turns, retries)
        decisions = Decisions(core, servers, challenges, turns, outbox)
        polling = PollingLoop(core, servers, challenges)
        let recorder = ArrivalRecorder(
            core: core, challenges: challenges, turns: turns, polling: polling)
        lists = PendingLists(
            core: core, challenges: challenges, turns: turns, servers: servers,
            recorder: recorder)
        questions = HintQuestions(core, servers, lists)
        intake = Intake(core: core, recorder: recorder, questions: questions)
        housekeeping = Housekeeping(
            core: core, servers: servers, challenges: challenges, turns: turns,
            questions: questions, polling: polling)
        resumption = Resumption(
            core, challenges, turns, decisions, outbox, retries, housekeeping)
    }

    // MARK: Receiving

    /// Takes a message: finds its provider, verifies it, and remembers what it announces.
    ///
    /// It returns at once if the caller's task is cancelled. A question to a vendor goes on, and
    /// ``updates(keeping:)`` tells its result.
    ///
    /// - Returns: Whose the message is, and its results: the app's own (``Receipt/notOurs``), a
    ///   plugin's with nothing new, or a plugin's with something new.
    /// - Throws: ``PushError`` if a plugin's message can't be trusted: `untrusted`, `malformed`,
    ///   `unknownEnrollment`, `unsupported`; or `storage` if the store can't be used. Nothing has
    ///   been stored or changed then. After a ``PushEvent/Hint``, also what ``pending(for:)``
    ///   throws.
    public func receive(_ message: PushMessage) async throws(PushError) -> Receipt {
        try await intake.receive(message)
    }

    /// Takes a message as ``receive(_:)`` does, and returns as soon as it is on record. Use it to
    /// tell the sender that the message won't be lost.
    ///
    /// - Returns: Whose the message is, and its results. A ``PushEvent/Hint`` leaves no record and
    ///   has none yet: its vendor is being asked, by a task that returns what ``receive(_:)`` does.
    /// - Throws: ``PushError`` with the codes of ``receive(_:)`` if the message can't be trusted,
    ///   or `storage` if it can't be put on record. Nothing has been stored or changed then.
    public func accept(
        _ message: PushMessage
    ) async throws(PushError) -> (
        receipt: Receipt, question: Task<Result<Receipt, PushError>, Never>?
    ) {
        try await intake.accept(message)
    }

    /// Asks a vendor which challenges wait for an answer, and remembers them.
    ///
    /// If the vendor's list is complete, the vendor is asked about each open challenge that the
    /// list omits, unless the list alone proves the end. Each ended challenge is closed with the
    /// vendor's reason.
    ///
    /// - Returns: The challenges that the vendor lists, and those that were closed.
    /// - Throws: ``PushError`` if the vendor couldn't be asked: such as `unreachable`,
    ///   `interrupted`, `server` or `malformed`; `listRefused` if it forbids listing, or did so
    ///   before; `unknownEnrollment` if there is no such enrollment, `notFound` if its plugin isn't
    ///   linked, `storage` if the store can't be used.
    public func pending(for id: Enrollment.ID) async throws(PushError) -> [Reception] {
        try await lists.pending(for: id)
    }

    /// Asks every vendor that has a list which challenges wait. Call it at start, at foreground,
    /// and after any push.
    ///
    /// - Returns: What was found, and the enrollments whose vendor couldn't be asked.
    /// - Throws: ``PushError`` with the code `storage` if the enrollments can't be listed.
    public func pending() async throws(PushError) -> (
        found: [Reception], failures: [Enrollment.ID: PushError]
    ) {
        let here = try await enrollments().filter { $0.state != .movedAway }
        return await lists.pending(for: here.map(\.id).filter(core.listsPending))
    }

    /// Asks every vendor that has a list repeatedly, until the task is cancelled. What it finds
    /// comes through ``updates(keeping:)``.
    ///
    /// While one of an enrollment's challenges is open, or the app says that the user waits
    /// (``setUserWaiting(_:)``), it asks every 5 seconds and a little more by chance; else every
    /// minute (``PushConfiguration/polling``). It keeps a server's `Retry-After`, and
    /// ``PushConfiguration/concurrency``. Run one loop for each authenticator.
    ///
    /// - Parameters:
    ///   - isWanted: Whether to ask for an enrollment; all by default.
    ///   - failed: Gets the error of each failed question, as ``pending(for:)`` throws it.
    public func poll(
        where isWanted: @escaping @Sendable (Enrollment.ID) -> Bool = { _ in true },
        failed: @escaping @Sendable (Enrollment.ID, PushError) -> Void = { _, _ in }
    ) async {
        await polling.poll(where: isWanted, failed: failed, asking: lists)
    }

    /// Says whether the user waits, such as on a screen that says "waiting for your login". Vendors
    /// are then asked more often, and at once unless they were asked just now.
    public func setUserWaiting(_ isWaiting: Bool) async {
        await polling.setUserWaiting(isWaiting)
    }

    /// Pauses ``poll(where:failed:)``, such as while the app is in the background, or lets it go
    /// on.
    public func setPollingPaused(_ isPaused: Bool) async {
        await polling.pause(isPaused)
    }

    // MARK: Answering

    /// Opens a challenge, which has all that is asked. Call it when the user opens the challenge,
    /// as it may fetch from the vendor and claim the challenge for this device.
    ///
    /// - Throws: ``PushError`` with the code `over` if the challenge is over, or if it was answered
    ///   and its vendor has ``Capabilities/singleUseContext``. Any other decided challenge can be
    ///   opened: the ledger judges the next decision. Also `notFound` if the ledger or the linked
    ///   plugins don't know it, `storage`, `malformed` or `unsupportedRecord` if its record can't
    ///   be read, and what the plugin throws, such as `unreachable`, `server`, `untrusted` or
    ///   `unknownEnrollment`.
    public func challenge(_ id: Challenge.ID) async throws(PushError) -> Challenge {
        try await core.timing(.open, of: id) { () async throws(PushError) in
            do throws(PushError) {
                return try await opened(id)
            } catch  where error.code == .locked {
                // Few vendors need what is behind the guard to show a challenge.
                let hand = try await core.hand(of: id.enrollment)
                return try await core.opening(
                    [hand], for: .manage(id.enrollment, "open a challenge")
                ) { () async throws(PushError) in try await opened(id) }
            }
        }
    }

    private func opened(_ id: Challenge.ID) async throws(PushError) -> Challenge {
        try await turns.turn(of: id.enrollment) { (turn) async throws(PushError) in
            guard let hand = try await turn.handIfAny() else { throw core.notFound(id) }
            return try await challenges.opened(id, in: hand)
        }
    }

    /// Answers a challenge: verifies the user if the challenge asks for it, records the decision,
    /// and sends it.
    ///
    /// A task that is cancelled while the user is being verified sends nothing. Once the decision
    /// is being recorded, a cancellation stops nothing. If the same answer is given twice, it is
    /// sent once, and both callers get its outcome.
    ///
    /// - Parameters:
    ///   - challenge: What the user saw.
    ///   - resolution: What the user chose.
    ///   - extras: Options of the vendor's plugin.
    ///   - style: How the app wants the user verified.
    /// - Returns: What the vendor said; `unknown` if the reply was lost. Then the answer is sent
    ///   again in the background, and by ``resume()`` after a restart.
    /// - Throws: ``PushError``: `decidedOtherwise` if another decision stands, `over` if the
    ///   challenge is over, `invalidResolution` if the prompt asks for something else,
    ///   `unsupported` if it can only be denied, or if ``PushConfiguration/profile`` forbids to
    ///   approve it, `cancelled` or `verificationFailed` if the user wasn't verified, `notFound`,
    ///   `storage` or `malformed` if the record can't be used; nothing was sent then. Else the
    ///   plugin's error that sending again can't mend, such as `blocked`, `unknownEnrollment` or
    ///   `untrustedServer`.
    public func resolve(
        _ challenge: Challenge, with resolution: Resolution, extras: (any Sendable)? = nil,
        style: VerificationStyle = VerificationStyle()
    ) async throws(PushError) -> Outcome {
        // Again, as a challenge may come from a vendor's door that opens it by itself.
        try challenge.limited(by: core.configuration.profile).prompt.check(resolution)
        return try await decisions.decide(
            challenge.id,
            Decisions.Choice(
                resolution: resolution, challenge: challenge, extras: extras, style: style))
    }

    /// Denies a challenge, opened or not, such as from a notification's button.
    ///
    /// - Throws: ``PushError``, with the codes of ``resolve(_:with:extras:style:)`` except those of
    ///   the prompt and of the user's check.
    public func deny(
        _ id: Challenge.ID, _ reason: DenyReason = .unexpected
    ) async throws(PushError) -> Outcome {
        try await decisions.decide(
            id,
            Decisions.Choice(
                resolution: .deny(reason), challenge: nil, extras: nil, style: VerificationStyle()))
    }

    /// Completes unfinished work: sends decisions without a known outcome, and the newest device
    /// token to the vendors that lack it. Call it at start, at foreground, and on reconnect.
    ///
    /// A second call meanwhile starts nothing: both callers get the same result.
    ///
    /// - Returns: What the vendors said to the decisions.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell what is unfinished.
    ///   An unreachable vendor is no error: it is tried again.
    @discardableResult
    public func resume() async throws(PushError) -> [Challenge.ID: Outcome] {
        try await resumption.resume()
    }
}
