import PushCore

struct OneSpanResolver: Resolver {
    let carrier: CommandCarrier
    let driver: FlowDriver
    let hinted: HintedRequests
    let users: UserRecords
    let workflows: ResumableWorkflows

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        try await withNote(announcement, account) {
            (note) async throws(OrchestrationError) -> Challenge in
            try await workflows.finishUnanswered(WorkflowAccount(account))
            let opened = try await driver.request(announcement.notice.id, note)
            guard let request = opened.request else {
                throw OrchestrationError(OneSpanError.invalidState)
            }
            return challenge(announcement, request)
        }
    }

    /// The engine has written its counter and sealed the bytes when this returns.
    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let id = decision.announcement.notice.id
        let approved = try isApproval(decision)
        let shown = decision.challenge?.details(as: OneSpanRequest.self)?.content
        return try await withNote(decision.announcement, account) {
            (note) async throws(OrchestrationError) -> Signing in
            // The app may give up until here, and not any more.
            if let permit = decision.extras(as: AnswerPermit.self), await !permit.take() {
                throw OrchestrationError(
                    .cancelled, "The app gave up before anything was decided.")
            }
            try await workflows.finishUnanswered(WorkflowAccount(account))
            let command = try await driver.seal(
                approved, id, note, decision.evidence, shown: shown)
            return Signing(AnswerRecord(command: command, isApproved: approved).answer)
        }
    }

    private func isApproval(_ decision: Decision) throws(PushError) -> Bool {
        switch decision.resolution {
        case .deny: return false
        case .approve: break
        case .choose, .enter:
            throw PushError(.invalidResolution, "A request is approved or denied.")
        }
        // Nobody approves what nobody saw.
        guard let challenge = decision.challenge, case .approve = challenge.prompt else {
            throw PushError(.invalidResolution, "The request can't be approved.")
        }
        return true
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let record = try AnswerRecord(answer)
        return try await withNote(announcement, account) {
            (note) async throws(OrchestrationError) -> Outcome in
            let step = try await driver.send(record, announcement.notice.id, note)
            // The carrier lets none pass that the server didn't prove.
            guard case .serverError(let error, _) = step else {
                return outcome(of: step, again: again)
            }
            let found = OneSpanError(error)
            if found.isRemoval { try await users.noteRemoval(of: WorkflowAccount(account)) }
            return try found.outcome(ofAllCopies: judgesCopiesAlike)
        }
    }

    /// OneSpan has no call for it: executing the trigger again tells what became of the request.
    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        try await withNote(announcement, account) {
            (note) async throws(OrchestrationError) -> Challenge.Status in
            let reason = try await driver.status(of: announcement.notice.id, note)
            return reason.map { .over(outcome(of: $0, again: true)) } ?? .open
        }
    }

    /// OneSpan has no list; a hint brings the command that leads to one request.
    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        guard let context = hint?.context else { return Pending([], isComplete: false) }
        let trigger = try OrchestrationCommand(reading: context)
        let found = try await reportingFailure(account, .request(trigger)) {
            () async throws(OrchestrationError) -> [Announcement] in
            guard let found = try await hinted.request(of: trigger),
                found.id.enrollment == account.id
            else { return [] }
            let notice = Notice(
                id: found.id, issued: found.request.validity?.lowerBound,
                expiry: found.request.validity?.upperBound, proof: .fetched)
            return [Announcement(notice, context: RequestNote(trigger, found.request.kind).sealed)]
        }
        return Pending(found, isComplete: false)
    }

    private func withNote<Value: Sendable>(
        _ announcement: Announcement, _ account: Account,
        _ body: (RequestNote) async throws(OrchestrationError) -> Value
    ) async throws(PushError) -> Value {
        let note = try announcement.note
        return try await reportingFailure(account, note.run) {
            () async throws(OrchestrationError) -> Value in try await body(note)
        }
    }

    /// Runs something; tells the door what went wrong, and keeps that the server removed the
    /// device.
    private func reportingFailure<Value: Sendable>(
        _ account: Account, _ run: WorkflowRun,
        _ body: () async throws(OrchestrationError) -> Value
    ) async throws(PushError) -> Value {
        try await translatingErrors { () async throws(OrchestrationError) -> Value in
            do throws(OrchestrationError) {
                return try await body()
            } catch {
                if error.saysRemoved {
                    try await users.noteRemoval(of: WorkflowAccount(account))
                }
                await carrier.say(.failed(error), in: run)
                throw error
            }
        }
    }
}

extension OneSpanResolver {
    private func challenge(
        _ announcement: Announcement, _ request: OneSpanRequest
    ) -> Challenge {
        let shown = ShownContent(request.content)
        return Challenge(
            for: announcement.notice,
            prompt: request.problem.map { .denyOnly($0.reason) } ?? .approve,
            content: Challenge.Content(fields: shown.fields, details: request),
            verification: verification(request), context: announcement.context)
    }

    private func verification(_ request: OneSpanRequest) -> [[Factor]] {
        switch request.method {
        case .none: []
        case .biometric where request.canUseBiometry: [[.biometry], [.pin]]
        case .password, .biometric: [[.pin]]
        }
    }

    private var judgesCopiesAlike: Bool { carrier.engine.judgesCopiesAlike }

    private func outcome(of step: OrchestrationStep, again: Bool) -> Outcome {
        switch step {
        case .finished: .delivered
        // A sealed "wrong" is about these bytes, pending or not: the server judges them once, and gives
        // every other copy the same reply, or refuses its counter.
        case .inputRejected(let problem, _, let mayRetry):
            outcome(of: problem, isPending: mayRetry || (problem.attemptsLeft ?? 0) > 0)
        // The counter was refused, and the request is still pending: the user proves themselves
        // once more. A counter that was refused is refused for every copy, and had one been taken
        // before, the request wouldn't be pending.
        case .authenticate, .display:
            .notTaken(.init(.stateChanged, mayRetry: true, appliesToAllCopies: judgesCopiesAlike))
        case .outdated(let reason, _): outcome(of: reason, again: again)
        default: .notTaken(.init(.other, mayRetry: false))
        }
    }

    /// What a wrong answer comes to: the session may wait for a right one, in this flow or a new
    /// one.
    private func outcome(of problem: InputProblem, isPending: Bool) -> Outcome {
        .notTaken(
            .init(
                .verification, mayRetry: isPending, appliesToAllCopies: judgesCopiesAlike,
                attemptsLeft: problem.attemptsLeft ?? (isPending ? nil : 0)))
    }

    private func outcome(of reason: SessionOutdatedReason, again: Bool) -> Outcome {
        switch reason {
        case .expired: .expired
        case .accepted, .refused:
            again
                ? .unknown("It was answered, perhaps by an earlier copy of this answer.")
                : .answeredElsewhere
        case .unknown: .unknown("The request is over; the server doesn't say how.")
        }
    }
}

extension OneSpanError {
    /// The outcome of an answer that a sealed error came for: it wasn't taken, unless the platform
    /// had trouble.
    ///
    /// - Parameter isAlike: Whether the server's word on the answer's password holds for every
    ///   copy. Its other errors may be about the user or the device as they are now, after it took
    ///   a copy.
    /// - Returns: The outcome.
    /// - Throws: ``OrchestrationError`` for the platform's own trouble.
    fileprivate func outcome(ofAllCopies isAlike: Bool) throws(OrchestrationError) -> Outcome {
        switch self {
        case .passwordRejected:
            .notTaken(
                .init(.verification, mayRetry: false, appliesToAllCopies: isAlike, attemptsLeft: 0))
        case .session, .authenticator, .userLocked, .userDisabled, .user:
            .notTaken(.init(.stateChanged, mayRetry: false))
        case .server(OneSpanError.internalServerError): throw OrchestrationError(self)
        default: .notTaken(.init(.other, mayRetry: false))
        }
    }
}
