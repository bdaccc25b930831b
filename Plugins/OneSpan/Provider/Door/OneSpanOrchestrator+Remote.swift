import PushCore

/// Remote authentication and remote transaction, over the authenticator's ledger.
extension OneSpanOrchestrator {
    /// How often a password that this device can't use is asked for again.
    private static let passwordTries = 3

    /// Receives a request, and goes through it with the user.
    func run(_ command: OrchestrationCommand) async {
        do throws(PushError) {
            let kind = try await provider.driver.inspect(command)?.kind
            let receptions = try await authenticator.receive(
                PushMessage(text: command.hex, by: .relayed))
            for reception in receptions {
                guard let id = reception.challenge, id.enrollment.provider == provider.id else {
                    continue
                }
                switch reception.kind {
                case .notice: await interact(id, kind)
                case .answered(_, let resolution):
                    await handler(kind)?.tellOutdated(resolution.isDenial ? .refused : .accepted)
                case .over(let withdrawal):
                    await handler(kind)?.tellOutdated(
                        withdrawal.reason == .expired ? .expired : .unknown)
                default: break
                }
            }
        } catch {
            await tell(error, nil)
        }
    }

    func handler(_ kind: WorkflowKind?) -> RemoteHandler? {
        switch kind {
        case .transaction: transactionDelegate.map { .transaction($0) }
        default: authenticationDelegate.map { .authentication($0) }
        }
    }

    private func interact(_ id: Challenge.ID, _ kind: WorkflowKind?) async {
        do throws(PushError) {
            let challenge = try await authenticator.challenge(id)
            guard let details = challenge.details(as: OneSpanRequest.self) else {
                throw OneSpanError.command(.invalidState).error
            }
            guard let handler = handler(details.kind) else {
                throw OneSpanError.handlerNotSet.error
            }
            switch await asked(handler, challenge, details.request) {
            case .approved: await answer(challenge, .approve, handler)
            case .rejected: await answer(challenge, .deny(.unexpected), handler)
            case .cancelled:
                _ = await provider.driver.abandon(id)
                await handler.tellAborted()
            case .timeEnded:
                _ = await provider.driver.abandon(id)
                await handler.tellOutdated(.expired)
            }
        } catch {
            await tell(error, handler(kind))
        }
    }

    /// Shows a request, and waits for the user, the app's cancel, or the end of the time.
    private func asked(
        _ handler: RemoteHandler, _ challenge: Challenge, _ request: DisplayRequest
    ) async -> UserDecision {
        let (decisions, continuation) = AsyncStream.makeStream(
            of: UserDecision.self, bufferingPolicy: .bufferingOldest(1))
        let decide: @Sendable (UserDecision) -> Void = { decision in
            continuation.yield(decision)
            continuation.finish()
        }
        prompt = Prompt(id: challenge.id, isAnswering: false, end: decide)
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

    /// Answers until the server has taken it, or the request is over.
    private func answer(
        _ challenge: Challenge, _ resolution: Resolution, _ handler: RemoteHandler
    ) async {
        await provider.driver.endWithdrawal(of: challenge.id)
        await answerInTurns(challenge, resolution, handler)
        prompt = nil
        await provider.driver.endWithdrawal(of: challenge.id)
    }

    private func answerInTurns(
        _ first: Challenge, _ resolution: Resolution, _ handler: RemoteHandler
    ) async {
        var challenge = first
        var unusable = 0
        while true {
            // The app may give up between two tries as well.
            if await provider.driver.isWithdrawn(challenge.id) {
                _ = await provider.driver.abandon(challenge.id)
                return await handler.tellAborted()
            }
            let (result, ending) = await resolved(challenge, resolution)
            switch result {
            case .success(.notTaken(let refusal)) where refusal.mayRetry:
                if refusal.why == .verification {
                    await handler.tellPasswordError(attemptsLeft: refusal.attemptsLeft)
                    continue
                }
                // The decision stands for what the user saw, and for nothing else.
                guard let again = await reopened(challenge, handler) else { return }
                challenge = again
            case .success(let outcome):
                return await tell(
                    outcome, of: challenge.id, isDenial: resolution.isDenial, handler)
            case .failure(let error) where error.code == .verificationFailed:
                unusable += 1
                await handler.tellPasswordError(attemptsLeft: nil)
                if unusable < Self.passwordTries { continue }
                _ = await provider.driver.abandon(challenge.id)
                return await handler.tellAborted()
            case .failure(let error) where error.code == .cancelled:
                _ = await provider.driver.abandon(challenge.id)
                if ending == .timeEnded { return await handler.tellOutdated(.expired) }
                return await handler.tellAborted()
            case .failure(let error): return await tell(error, handler)
            }
        }
    }

    /// Resolves a challenge; the end of the time, or the app, ends the user's authentication.
    private func resolved(
        _ challenge: Challenge, _ resolution: Resolution
    ) async -> (Result<Outcome, PushError>, UserDecision?) {
        let authenticator = authenticator
        let task = Task {
            await Result { () async throws(PushError) -> Outcome in
                try await authenticator.resolve(challenge, with: resolution)
            }
        }
        let (endings, continuation) = AsyncStream.makeStream(
            of: UserDecision.self, bufferingPolicy: .bufferingOldest(1))
        let end: @Sendable (UserDecision) -> Void = { ending in
            continuation.yield(ending)
            continuation.finish()
            task.cancel()
        }
        prompt = Prompt(id: challenge.id, isAnswering: true, end: end)
        let timer = await timer(of: challenge.id, end)
        let result = await task.value
        timer?.cancel()
        continuation.finish()
        var ending: UserDecision?
        for await found in endings { ending = found }
        return (result, ending)
    }

    /// A request that was fetched anew; `nil` if the user must see it again, or it is over.
    private func reopened(_ seen: Challenge, _ handler: RemoteHandler) async -> Challenge? {
        do throws(PushError) {
            let challenge = try await authenticator.challenge(seen.id)
            let before = seen.details(as: OneSpanRequest.self)
            let now = challenge.details(as: OneSpanRequest.self)
            if before?.request.content == now?.request.content { return challenge }
            await interact(seen.id, now?.kind)
        } catch {
            await tell(error, handler)
        }
        return nil
    }

    // MARK: What came of it

    func tell(
        _ outcome: Outcome, of id: Challenge.ID, isDenial: Bool, _ handler: RemoteHandler
    ) async {
        let word = await provider.driver.word(on: id)
        switch (outcome, word) {
        case (.delivered, .answered(let result)): await handler.succeed(result)
        case (.delivered, _):
            await handler.succeed(
                RemoteAuthenticationResult(isAccepted: !isDenial, authToken: nil))
        case (.expired, _): await handler.tellOutdated(.expired)
        case (_, .outdated(let reason)): await handler.tellOutdated(reason)
        case (_, .refused(let error)): await report(error)
        case (.answeredElsewhere, _): await handler.tellOutdated(.unknown)
        case (.notTaken(let refusal), _):
            await report(PushError(.notTaken(refusal), "The server didn't take the answer."))
        default: await report(OneSpanError.relay.error)
        }
    }

    private func tell(_ error: PushError, _ handler: RemoteHandler?) async {
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
