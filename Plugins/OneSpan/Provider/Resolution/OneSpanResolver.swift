import PushCore

struct OneSpanResolver: Resolver {
    let provider: OneSpan

    private var driver: FlowDriver { provider.driver }

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        let id = announcement.notice.id
        return try await watched(id.enrollment) { () async throws(PushError) -> Opened in
            try await provider.finishUnanswered(id.enrollment)
            let opened = try await driver.request(id, try announcement.command())
            guard let request = opened.request else {
                throw OneSpanError.command(.invalidState).error
            }
            return Opened(challenge(announcement, request, opened.run.kind))
        }
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        let id = decision.announcement.notice.id
        let approved: Bool
        switch decision.resolution {
        case .approve: approved = true
        case .deny: approved = false
        default:
            throw PushError(
                .invalidResolution, "A request is approved or denied.", provider: provider.id)
        }
        if approved {
            // Nobody approves what nobody saw.
            guard let challenge = decision.challenge, case .approve = challenge.prompt else {
                throw PushError(
                    .invalidResolution, "The request can't be approved.", provider: provider.id)
            }
        }
        let command = try await watched(id.enrollment) {
            () async throws(PushError) -> OrchestrationCommand in
            try await provider.finishUnanswered(id.enrollment)
            let trigger = try decision.announcement.command()
            let shown = decision.challenge?.details(as: OneSpanRequest.self)?.request.content
            return try await driver.seal(
                approved, id, trigger, decision.evidence, shown: shown)
        }
        return AnswerRecord(command: command, isApproved: approved).answer
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        Reply(try await word(on: answer, for: announcement, again: again))
    }

    private func word(
        on answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome {
        let id = announcement.notice.id
        let record = try AnswerRecord(answer)
        return try await watched(id.enrollment) { () async throws(PushError) -> Outcome in
            let step = try await driver.send(
                record.command, record.isApproved, id, try announcement.command())
            // The driver lets none pass that the server didn't prove.
            if case .serverError(let error, _) = step {
                let found = OneSpanError(error)
                if found.isRemoval { try await provider.noteRemoval(of: id.enrollment) }
                return try found.outcome(ofAllCopies: driver.engine.judgesCopiesAlike)
            }
            return outcome(of: step, again: again)
        }
    }

    /// OneSpan has no call for it: executing the trigger again tells what became of the request.
    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        let id = announcement.notice.id
        return try await watched(id.enrollment) { () async throws(PushError) -> Challenge.Status in
            switch try await driver.status(of: id, try announcement.command()) {
            case .open: return .open
            case .outdated(let reason): return .over(outcome(of: reason, again: true))
            }
        }
    }

    /// OneSpan has no list; a hint brings the command that leads to one request.
    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        guard let context = hint?.context else { return Pending([], isComplete: false) }
        let trigger = try OrchestrationCommand(
            context.withBytes { String(decoding: $0, as: UTF8.self) })
        let found = try await watched(enrollment) { () async throws(PushError) -> [Announcement] in
            guard let found = try await driver.found(trigger, by: provider.id),
                found.enrollment == enrollment
            else { return [] }
            let notice = Notice(
                id: found.id, issued: found.request.validity?.lowerBound,
                expiry: found.request.validity?.upperBound, proof: .fetched)
            return [Announcement(notice, context: context)]
        }
        return Pending(found, isComplete: false)
    }

    /// Runs something, and keeps what the server said of the device, if it removed it.
    private func watched<Value: Sendable>(
        _ enrollment: Enrollment.ID, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await body()
        } catch {
            if error.saysRemoved { try await provider.noteRemoval(of: enrollment) }
            throw error.of(provider.id)
        }
    }
}

extension OneSpanResolver {
    private func challenge(
        _ announcement: Announcement, _ request: DisplayRequest, _ kind: WorkflowKind
    ) -> Challenge {
        let shown = ShownContent(request.content)
        return Challenge(
            for: announcement.notice,
            prompt: request.problem.map { .denyOnly($0.reason) } ?? .approve,
            content: Challenge.Content(
                fields: shown.fields, details: OneSpanRequest(kind: kind, request: request)),
            verification: verification(request), context: announcement.context)
    }

    private func verification(_ request: DisplayRequest) -> [[Factor]] {
        switch request.method {
        case .none: []
        case .biometric where request.canUseBiometry: [[.biometry], [.pin]]
        case .password, .biometric: [[.pin]]
        }
    }

    private func outcome(of step: OrchestrationStep, again: Bool) -> Outcome {
        switch step {
        case .finished: .delivered
        // A sealed "wrong" is about these bytes, pending or not: the server judges them once, and gives
        // every other copy the same reply, or refuses its counter.
        case .inputRejected(let problem, _):
            .notTaken(
                .init(
                    .verification, mayRetry: problem.isPending,
                    noCopyTaken: driver.engine.judgesCopiesAlike,
                    attemptsLeft: problem.attemptsLeft ?? (problem.isPending ? nil : 0)))
        // The counter was refused, and the request is still pending: the user proves themselves
        // once more. A counter that was refused is refused for every copy, and had one been taken
        // before, the request wouldn't be pending.
        case .authenticate, .display:
            .notTaken(
                .init(
                    .stateChanged, mayRetry: true,
                    noCopyTaken: driver.engine.judgesCopiesAlike))
        case .outdated(let reason, _): outcome(of: reason, again: again)
        default: .notTaken(.init(.other, mayRetry: false))
        }
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
    /// What a sealed error says of an answer: it wasn't taken, unless the platform had trouble.
    ///
    /// - Parameter isAlike: Whether what is said of the answer's password is said of every copy. The
    ///   others may be about the user or the device as they are now, after a copy was taken.
    fileprivate func outcome(ofAllCopies isAlike: Bool) throws(PushError) -> Outcome {
        switch self {
        case .passwordRejected:
            .notTaken(
                .init(.verification, mayRetry: false, noCopyTaken: isAlike, attemptsLeft: 0))
        case .session, .authenticator, .userLocked, .userDisabled, .user:
            .notTaken(.init(.stateChanged, mayRetry: false))
        case .server(OrchestrationErrorCodes.internalServerError): throw error
        default: .notTaken(.init(.other, mayRetry: false))
        }
    }
}
