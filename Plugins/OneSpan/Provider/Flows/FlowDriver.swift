import PushCore

/// Leads remote requests through the engine: fetch, decide, authenticate, answer.
///
/// The request's ledger row has all that must outlast a step. This is a cache of the flows that the
/// engine has open; where one is gone, the command that led to the request is executed again. The
/// caller holds the enrollment's turn, so the requests of one device come one after the other.
actor FlowDriver {
    private let engine: any OrchestrationEngine
    private let carrier: CommandCarrier
    private let fetcher: RequestFetcher

    private var open = OpenRequests()
    /// What is being answered: nobody else ends these flows.
    private var busy: Set<Challenge.ID> = []

    init(_ fetcher: RequestFetcher) {
        engine = fetcher.carrier.engine
        carrier = fetcher.carrier
        self.fetcher = fetcher
    }

    // MARK: The cache

    /// The flow that is open for a request, if the cache has it.
    func known(_ id: Challenge.ID) -> OpenRequest? { open[id] }

    /// Keeps a request, and ends the flows of the oldest ones beyond the limit.
    func keep(_ request: OpenRequest) async {
        for flow in open.keep(request, besides: busy) { _ = await engine.cancel(flow) }
    }

    /// Keeps a request that was fetched again, unless the user sees it, or answers it.
    func keepUnlessKnown(_ request: OpenRequest) async {
        guard known(request.id) == nil, !busy.contains(request.id) else {
            _ = await engine.cancel(request.flow)
            return
        }
        await keep(request)
    }

    /// Drops what is known of a device that is no longer one.
    func forget(_ enrollment: Enrollment.ID) { open.drop { $0.id.enrollment == enrollment } }

    /// Drops everything that is kept, as may happen at any moment.
    func dropCaches() { open = OpenRequests() }

    /// How long the user may take to decide an open request; `nil` if that isn't known.
    func timeLeft(of id: Challenge.ID) async -> Duration? {
        guard let flow = known(id)?.flow else { return nil }
        return await engine.timeLeft(of: flow)
    }

    /// Whether an answer is being made, or on its way.
    func isAnswering(_ id: Challenge.ID) -> Bool {
        busy.contains(id) || known(id).map { !$0.awaitsUser } ?? false
    }

    /// Ends an open request that the user gave up; the server isn't told.
    func abandon(_ id: Challenge.ID) async {
        guard let known = known(id), known.awaitsUser, await engine.cancel(known.flow) else {
            return
        }
        open.drop(id)
    }

    // MARK: Fetching

    /// A request that the user can decide: the one that was fetched before, while its time lasts.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - note: What the ledger keeps of it.
    ///   - isFresh: Whether an earlier one won't do.
    /// - Returns: The request.
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/outdated(_:)`` if it is no longer pending.
    func request(
        _ id: Challenge.ID, _ note: RequestNote, isFresh: Bool = false
    ) async throws(OrchestrationError) -> OpenRequest {
        if let known = known(id), known.awaitsUser {
            if await !isLate(known), !isFresh { return known }
            _ = await engine.cancel(known.flow)
        }
        open.drop(id)
        switch try await fetcher.fetch(note.command, for: id) {
        case .open(let flow, let request):
            let opened = OpenRequest(id: id, kind: request.kind, flow: flow, request: request)
            await keep(opened)
            return opened
        case .outdated(let reason): throw OrchestrationError(.outdated(reason))
        }
    }

    private func isLate(_ request: OpenRequest) async -> Bool {
        await engine.timeLeft(of: request.flow).map { $0 <= .zero } ?? false
    }

    /// What the server says of a request. An open flow of it stays as it is.
    ///
    /// - Returns: Why it is over; `nil` if it is open.
    func status(
        of id: Challenge.ID, _ note: RequestNote
    ) async throws(OrchestrationError) -> SessionOutdatedReason? {
        switch try await fetcher.fetch(note.command, for: id) {
        case .outdated(let reason): return reason
        case .open(let flow, let request):
            await keepUnlessKnown(
                OpenRequest(id: id, kind: request.kind, flow: flow, request: request))
            return nil
        }
    }

    // MARK: Answering

    /// Seals a decision on a request.
    ///
    /// - Parameters:
    ///   - approved: What the user decided.
    ///   - id: The challenge.
    ///   - note: What the ledger keeps of it.
    ///   - evidence: What the user proved themselves with.
    ///   - shown: What the user saw; an approval stands for that, and for nothing else.
    /// - Returns: The bytes to send.
    /// - Throws: ``OrchestrationError``: `verificationFailed` if the evidence isn't what the request
    ///   needs, `over` if its time is over, or it asks something else now.
    func seal(
        _ approved: Bool, _ id: Challenge.ID, _ note: RequestNote, _ evidence: [Evidence],
        shown: DisplayContent?
    ) async throws(OrchestrationError) -> OrchestrationCommand {
        busy.insert(id)
        defer { busy.remove(id) }
        try await refuseLate(id)
        var opened = try await request(id, note)
        // After a wrong password the flow waits for another one; a denial needs a flow of its own.
        if !approved, opened.stage == .authenticating {
            opened = try await request(id, note, isFresh: true)
        }
        guard !approved || opened.request?.content == shown else {
            throw OrchestrationError(.over, "The request has changed: open it again.")
        }
        guard !approved || opened.request?.problem == nil else {
            throw OrchestrationError(
                .unsupported, "The request can't be shown whole, so only be denied.")
        }
        var step: OrchestrationStep
        if opened.stage == .authenticating {
            let method = opened.request?.method ?? .password
            step = .authenticate(method, opened.flow)
        } else {
            step = try await engine.provide(.decision(approved: approved), to: opened.flow)
        }
        if case .authenticate(let method, _, _) = step {
            opened.stage = .authenticating
            await keep(opened)
            step = try await authenticate(opened.flow, method, evidence)
        }
        guard case .send(let command, let flow, _) = step else {
            open.drop(id)
            throw OrchestrationError(ending: step)
        }
        opened.flow = flow
        opened.stage = .answering(approved: approved)
        await keep(opened)
        return command
    }

    /// Refuses an answer to what is open once the user's time is over: nothing is sent then.
    private func refuseLate(_ id: Challenge.ID) async throws(OrchestrationError) {
        guard let known = known(id), known.awaitsUser, await isLate(known) else { return }
        _ = await engine.cancel(known.flow)
        open.drop(id)
        throw OrchestrationError(.outdated(.expired))
    }

    private func authenticate(
        _ flow: FlowID, _ method: AuthenticationMethod, _ evidence: [Evidence]
    ) async throws(OrchestrationError) -> OrchestrationStep {
        if method == .biometric, evidence.holdsBiometry {
            return try await engine.provide(.biometricSucceeded, to: flow)
        }
        guard let pin = evidence.pin else {
            throw OrchestrationError(.verificationFailed, "The request needs the password.")
        }
        if method == .biometric {
            _ = try await engine.provide(.biometricUnavailable, to: flow)
        }
        let step = try await engine.provide(.secret(pin), to: flow)
        if case .inputRejected = step {
            throw OrchestrationError(.verificationFailed, "The password can't be used.")
        }
        return step
    }

    /// Sends an answer once.
    ///
    /// - Parameters:
    ///   - answer: The sealed bytes, and what they say.
    ///   - id: The challenge.
    ///   - note: What the ledger keeps of it.
    /// - Returns: The server's word on it.
    /// - Throws: ``OrchestrationError``: the engine's or the relay's. The same bytes can go out again.
    func send(
        _ answer: AnswerRecord, _ id: Challenge.ID, _ note: RequestNote
    ) async throws(OrchestrationError) -> OrchestrationStep {
        busy.insert(id)
        defer { busy.remove(id) }
        var opened = try await flowAwaitingReply(answer, id)
        await carrier.say(.sent, in: note.run)
        let step = try await exchange(answer, &opened, note)
        await settle(step, opened, note)
        return step
    }

    /// The flow that waits for the reply to an answer; an earlier process may have made the answer.
    private func flowAwaitingReply(
        _ answer: AnswerRecord, _ id: Challenge.ID
    ) async throws(OrchestrationError) -> OpenRequest {
        let stage = OpenRequest.Stage.answering(approved: answer.isApproved)
        if let known = known(id) {
            if known.stage == stage { return known }
            // Its flow asks the user again, while the decision stands: the same bytes go out.
            if known.awaitsUser {
                _ = await engine.cancel(known.flow)
                open.drop(id)
            }
        }
        guard
            case .send(_, let flow, let kind?) = try await engine.resume(
                answer.command, of: id.name)
        else { throw OrchestrationError(OneSpanError.invalidState) }
        let opened = OpenRequest(id: id, kind: kind, flow: flow, stage: stage)
        await keep(opened)
        return opened
    }

    /// Sends until the server has spoken. After a refused counter the engine fetches the request
    /// again, in a flow of its own; a denial that stands needs nothing of the user then.
    private func exchange(
        _ answer: AnswerRecord, _ opened: inout OpenRequest, _ note: RequestNote
    ) async throws(OrchestrationError) -> OrchestrationStep {
        var step = OrchestrationStep.send(answer.command, opened.flow, opened.kind)
        while true {
            var isAnswer = false
            do throws(OrchestrationError) {
                switch step {
                case .send(let command, let flow, let kind):
                    opened.flow = flow
                    isAnswer = command == answer.command
                    step = try await carrier.carry((command, flow, kind), of: note.run)
                case .display(_, let flow) where !answer.isApproved:
                    opened.flow = flow
                    step = try await engine.provide(.decision(approved: false), to: flow)
                case .finished(let outcome, _):
                    if case .answered = outcome { return step }
                    throw OrchestrationError(noReply: "The reply isn't one to an answer.")
                default: return step
                }
            } catch {
                // The next try begins with the answer that is on record.
                if isAnswer {
                    await keep(opened)
                } else {
                    _ = await engine.cancel(opened.flow)
                    open.drop(opened.id)
                }
                throw error
            }
        }
    }

    /// Goes on from the server's word on an answer, or ends.
    private func settle(
        _ step: OrchestrationStep, _ answered: OpenRequest, _ note: RequestNote
    ) async {
        var opened = answered
        switch step {
        case .inputRejected(_, _, mayRetry: true):
            opened.stage = .authenticating
        case .authenticate(_, let flow, _):
            opened.flow = flow
            opened.stage = .authenticating
        case .display(let displayed, let flow):
            // An earlier process decided, or the request has changed: the user sees it again.
            opened = OpenRequest(
                id: opened.id, kind: opened.kind, flow: flow,
                request: displayed.judged(as: opened.kind))
        default:
            open.drop(opened.id)
            if let word = WorkflowWord(step) { await carrier.say(word, in: note.run) }
            return
        }
        // Nobody approves here what isn't known: the next try fetches it.
        guard opened.request != nil else {
            _ = await engine.cancel(opened.flow)
            return open.drop(opened.id)
        }
        await keep(opened)
    }
}
