import PushCore

/// Remote authentication and remote transaction, over the authenticator's ledger.
extension OneSpanOrchestrator {
    /// How often a password that this device can't use is asked for again.
    private static let passwordTries = 3

    /// Receives a request, and goes through it with the user.
    func run(_ command: OrchestrationCommand) async {
        do throws(OrchestrationError) {
            let kind = try await provider.carrier.engine.inspect(command)?.kind
            let receptions = try await explained(in: .request(command)) {
                [authenticator] () async throws(PushError) in
                try await authenticator.receive(PushMessage(text: command.hex, by: .relayed))
            }
            for reception in receptions {
                guard let id = reception.challenge, id.enrollment.provider == provider.id else {
                    continue
                }
                switch reception.kind {
                case .notice: await interact(id, command, kind)
                case .answered(_, let resolution):
                    await handler(kind)?.tellOutdated(resolution.isDenial ? .refused : .accepted)
                case .over(let withdrawal):
                    await handler(kind)?.tellOutdated(
                        withdrawal.reason == .expired ? .expired : .unknown)
                case .incompatible, .enrollment, .inbox: break
                }
            }
        } catch {
            await tell(error, nil)
        }
    }

    func handler(_ kind: RequestKind?) -> RemoteHandler? {
        switch kind {
        case .transaction: transactionDelegate.map { .transaction($0) }
        default: authenticationDelegate.map { .authentication($0) }
        }
    }

    private func interact(
        _ id: Challenge.ID, _ command: OrchestrationCommand, _ kind: RequestKind?
    ) async {
        do throws(OrchestrationError) {
            let challenge = try await explained(in: .request(command)) {
                [authenticator] () async throws(PushError) in try await authenticator.challenge(id)
            }
            guard let details = challenge.details(as: OneSpanRequest.self) else {
                throw OrchestrationError(OneSpanError.invalidState)
            }
            guard let handler = handler(details.kind) else {
                throw OrchestrationError(.handlerNotSet)
            }
            switch await decision(on: challenge, details, by: handler) {
            case .approved: await answer(challenge, .approve, command, handler)
            case .rejected: await answer(challenge, .deny(.unexpected), command, handler)
            case .cancelled:
                await provider.driver.abandon(id)
                await handler.tellAborted()
            case .timeEnded:
                await provider.driver.abandon(id)
                await handler.tellOutdated(.expired)
            }
        } catch {
            await tell(error, handler(kind))
        }
    }

    /// Shows a request, and waits for the user, the app's cancel, or the end of the time.
    private func decision(
        on challenge: Challenge, _ request: OneSpanRequest, by handler: RemoteHandler
    ) async -> UserDecision {
        let (decisions, continuation) = AsyncStream.makeStream(
            of: UserDecision.self, bufferingPolicy: .bufferingOldest(1))
        let decide: @Sendable (UserDecision) -> Void = { decision in
            continuation.yield(decision)
            continuation.finish()
        }
        prompt = Prompt(id: challenge.id, permit: nil, end: decide)
        let timer = await timer(of: challenge.id, decide)
        // By itself, so that an app that decides within the call doesn't wait for itself.
        let caller = DisplayDataCaller(problem: request.problem, decide: decide)
        Task { await handler.display(request.content, caller) }
        var decided = UserDecision.cancelled
        for await decision in decisions { decided = decision }
        timer?.cancel()
        prompt = nil
        return decided
    }

    private func timer(
        of id: Challenge.ID, _ end: @escaping @Sendable (UserDecision) -> Void
    ) async -> Task<Void, Never>? {
        guard let limit = await provider.driver.timeLeft(of: id) else { return nil }
        let clock = provider.environment.clock
        return Task {
            await clock.sleep(for: limit)
            if !Task.isCancelled { end(.timeEnded) }
        }
    }

    // MARK: Answering

    /// What came of one answer.
    private struct Answered {
        let result: Result<Outcome, PushError>
        /// The last that was said of it, beyond that.
        let word: WorkflowWord?
        /// What ended the user's authentication, if anything did.
        let ending: UserDecision?
    }

    /// Answers until the server has taken it, or the request is over.
    private func answer(
        _ first: Challenge, _ resolution: Resolution, _ command: OrchestrationCommand,
        _ handler: RemoteHandler
    ) async {
        let permit = AnswerPermit()
        var challenge = first
        var unusable = 0
        defer { prompt = nil }
        // The app may give up between two tries as well.
        while await !permit.isWithdrawn {
            let answered = await resolve(challenge, resolution, command, permit)
            switch answered.result {
            case .success(.notTaken(let refusal)) where refusal.mayRetry:
                if refusal.reason == .verification {
                    await handler.tellPasswordError(attemptsLeft: refusal.attemptsLeft)
                    continue
                }
                // The decision stands for what the user saw, and for nothing else.
                guard let again = await reopen(challenge, command, handler) else { return }
                challenge = again
            case .success(let outcome):
                return await tell(outcome, answered.word, isDenial: resolution.isDenial, handler)
            case .failure(let error) where error.code == .verificationFailed:
                unusable += 1
                await handler.tellPasswordError(attemptsLeft: nil)
                if unusable < Self.passwordTries { continue }
                await provider.driver.abandon(challenge.id)
                return await handler.tellAborted()
            case .failure(let error) where error.code == .cancelled:
                await provider.driver.abandon(challenge.id)
                if answered.ending == .timeEnded { return await handler.tellOutdated(.expired) }
                return await handler.tellAborted()
            case .failure(let error):
                return await tell(error.explained(by: answered.word), handler)
            }
        }
        await provider.driver.abandon(challenge.id)
        await handler.tellAborted()
    }

    /// Resolves a challenge; the end of the time, or the app, ends the user's authentication.
    private func resolve(
        _ challenge: Challenge, _ resolution: Resolution, _ command: OrchestrationCommand,
        _ permit: AnswerPermit
    ) async -> Answered {
        let (authenticator, carrier) = (authenticator, provider.carrier)
        let task = Task {
            await carrier.collectingWords {
                await Result { () async throws(PushError) -> Outcome in
                    try await authenticator.resolve(challenge, with: resolution, extras: permit)
                }
            }
        }
        let (endings, continuation) = AsyncStream.makeStream(
            of: UserDecision.self, bufferingPolicy: .bufferingOldest(1))
        let end: @Sendable (UserDecision) -> Void = { ending in
            continuation.yield(ending)
            continuation.finish()
            task.cancel()
        }
        prompt = Prompt(id: challenge.id, permit: permit, end: end)
        let timer = await timer(of: challenge.id, end)
        let (result, words) = await task.value
        timer?.cancel()
        continuation.finish()
        await permit.giveBack()
        var ending: UserDecision?
        for await found in endings { ending = found }
        return Answered(result: result, word: words[.request(command)], ending: ending)
    }

    /// A request that was fetched once more; `nil` if the user must see it again, or it is over.
    private func reopen(
        _ seen: Challenge, _ command: OrchestrationCommand, _ handler: RemoteHandler
    ) async -> Challenge? {
        do throws(OrchestrationError) {
            let challenge = try await explained(in: .request(command)) {
                [authenticator] () async throws(PushError) in
                try await authenticator.challenge(seen.id)
            }
            let before = seen.details(as: OneSpanRequest.self)
            let now = challenge.details(as: OneSpanRequest.self)
            if before?.content == now?.content { return challenge }
            await interact(seen.id, command, now?.kind)
        } catch {
            await tell(error, handler)
        }
        return nil
    }

    // MARK: What came of it

    func tell(
        _ outcome: Outcome, _ word: WorkflowWord?, isDenial: Bool, _ handler: RemoteHandler
    ) async {
        switch (outcome, word) {
        case (.delivered, .answered(let result)): await handler.succeed(result)
        case (.delivered, _):
            await handler.succeed(
                RemoteAuthenticationResult(isAccepted: !isDenial, authToken: nil))
        case (.expired, _): await handler.tellOutdated(.expired)
        case (_, .outdated(let reason)): await handler.tellOutdated(reason)
        case (_, .refused(let error)): await report(OrchestrationError(error))
        case (.answeredElsewhere, _): await handler.tellOutdated(.unknown)
        case (.notTaken(let refusal), _):
            await report(
                OrchestrationError(.notTaken(refusal), "The server didn't take the answer."))
        case (.cancelled, _), (.code, _), (.ended, _), (.verifyAgain, _), (.unknown, _):
            await report(OrchestrationError(.relay))
        }
    }

    private func tell(_ error: OrchestrationError, _ handler: RemoteHandler?) async {
        switch (error.code, error.oneSpan) {
        case (_, .outdated(let reason)): await handler?.tellOutdated(reason)
        // A fetch whose reply never came: the server said nothing, so it can be executed again.
        case (_, .noReply): await handler?.tellOutdated(.unknown)
        case (.cancelled, _): await handler?.tellAborted()
        case (.decidedOtherwise(let other), _):
            await handler?.tellOutdated(other.isDenial ? .refused : .accepted)
        case (.over, nil): await handler?.tellOutdated(.expired)
        default: await report(error)
        }
    }
}

extension PushError {
    /// What went wrong, in OneSpan's terms as well, if that was said.
    func explained(by word: WorkflowWord?) -> OrchestrationError {
        if case .failed(let error) = word, error.code == code { return error }
        return OrchestrationError(self)
    }
}
