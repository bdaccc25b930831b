import PushCore

/// Commands out and replies in: through the relay, or through an app that carries them.
extension FlowDriver {
    /// Carries a command to the server, and hands its reply to the engine.
    ///
    /// - Parameters:
    ///   - step: What the engine wants sent.
    ///   - run: What it belongs to; `nil` if that isn't known.
    ///   - tries: How often the same bytes are sent before a caller hears of it.
    ///   - limit: How long the reply may take, all tries together, if the engine doesn't know.
    ///   - isHint: Whether a message that proves nothing led to it: then only what didn't reach the
    ///     server goes out again.
    /// - Returns: What is next; never an error that nobody authenticated.
    /// - Throws: `PushError`: `unreachable`, `interrupted` or `server` if the flow still waits for
    ///   its reply; ``OneSpanError/noReply`` beneath it once the time is over.
    func carry(
        _ step: (command: OrchestrationCommand, flow: FlowID, kind: WorkflowKind),
        of run: FlowRun?, tries: Int = 1, limit: Duration? = nil, isHint: Bool = false
    ) async throws(PushError) -> OrchestrationStep {
        let (command, flow, kind) = step
        let time = await engine.timeLeft(of: flow) ?? limit ?? patience(for: kind)
        let end = clock.elapsed + time
        if let outlet = outlet(of: run, kind) {
            return try await carried(step, run, outlet, until: end)
        }
        guard let relay else {
            throw PushError(
                .unreachable, "There is no relay, and no delegate that carries commands.")
        }
        var pause = Duration.seconds(1)
        for attempt in 1... {
            do throws(PushError) {
                return try await taken(
                    reply(to: command, of: flow, by: relay, until: end), in: flow)
            } catch {
                guard attempt < tries, error.isPassing, error.oneSpan != .noReply,
                    error.code == .unreachable || !isHint,
                    clock.elapsed + pause < end
                else { throw error }
            }
            await clock.sleep(for: pause)
            pause *= 2
        }
        throw OneSpanError.relay.error
    }

    /// Waits for a relay's reply as long as there is time: a relay may wait for ever.
    private func reply(
        to command: OrchestrationCommand, of flow: FlowID,
        by relay: any OrchestrationCommandRelay, until end: Duration
    ) async throws(PushError) -> RelayReply {
        let ticket = newTicket()
        let exchange = Task {
            finish(
                ticket,
                await Result { () async throws(PushError) in
                    try await relay.exchange(command, correlation: flow)
                })
        }
        let limit = end - clock.elapsed
        let deadline = Task { [clock] in
            await clock.sleep(for: limit)
            if !Task.isCancelled { finish(ticket, .failure(OneSpanError.noReply.error)) }
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { exchanges[ticket] = $0 }
        } onCancel: {
            exchange.cancel()
        }
        deadline.cancel()
        exchange.cancel()
        return try result.get()
    }

    private func finish(_ ticket: Int, _ result: Result<RelayReply, PushError>) {
        exchanges.removeValue(forKey: ticket)?.resume(returning: result)
    }

    /// A reply that can't be taken changes nothing: its flow still waits.
    ///
    /// Neither is a genuine command a word on this one, if it was pushed, or belongs to another flow:
    /// whoever carries commands can exchange them.
    private func taken(
        _ reply: RelayReply, in flow: FlowID
    ) async throws(PushError) -> OrchestrationStep {
        let named = engine.flow(of: reply.command)
        let step: OrchestrationStep
        do throws(PushError) {
            guard named ?? flow == flow else { throw strayReply }
            guard try await engine.inspect(reply.command) == nil else { throw strayReply }
            step = try await engine.consume(reply.command)
        } catch {
            guard error.isNoise else { throw error }
            throw PushError(
                .interrupted, "The reply isn't one to this command.",
                underlying: error.underlying)
        }
        if case .serverError(let error, _) = step, !error.isAuthenticated {
            throw PushError(
                .interrupted, "The server's error isn't authenticated.", underlying: error)
        }
        // A refused counter is answered in a new flow; only an engine that knows a reply's flow
        // before can tell that from a request that was executed.
        guard named != nil || step.flow ?? flow == flow else {
            if let other = step.flow, case .send = step { _ = await engine.cancel(other) }
            throw PushError(
                .interrupted, "The reply isn't one to this command.",
                underlying: strayReply.underlying)
        }
        return step
    }

    private var strayReply: PushError {
        OrchestrationProblem.unexpectedCommand.error("The reply belongs to another command.")
    }

    // MARK: Commands that the app carries

    /// Who carries a run's commands: its own outlet. Where nothing else can, the remote delegates do
    /// so for requests, such as an answer that goes out again on its own.
    private func outlet(of run: FlowRun?, _ kind: WorkflowKind) -> Outlet? {
        run.flatMap { outlets[$0] } ?? (relay == nil ? delegates[kind] : nil)
    }

    private func carried(
        _ step: (command: OrchestrationCommand, flow: FlowID, kind: WorkflowKind),
        _ run: FlowRun?, _ outlet: @escaping Outlet, until end: Duration
    ) async throws(PushError) -> OrchestrationStep {
        let (command, flow, kind) = step
        let ticket = newTicket()
        let limit = end - clock.elapsed
        let deadline = Task { [clock] in
            await clock.sleep(for: limit)
            guard !Task.isCancelled else { return }
            self.end(flow, ticket, OneSpanError.noReply.error)
        }
        let result = await withCheckedContinuation { continuation in
            waiting[flow] = Waiter(ticket: ticket, run: run, continuation: continuation)
            Task {
                do throws(PushError) {
                    try await outlet(command, kind)
                } catch {
                    self.end(flow, ticket, error)
                }
            }
        }
        deadline.cancel()
        return try result.get()
    }

    private func end(_ flow: FlowID, _ ticket: Int, _ error: PushError) {
        guard waiting[flow]?.ticket == ticket else { return }
        waiting.removeValue(forKey: flow)?.continuation.resume(returning: .failure(error))
    }

    /// Gives up waiting for the app, where the run may still be given up.
    ///
    /// - Returns: Whether anything waited.
    func giveUp(_ run: FlowRun) async -> Bool {
        var isGivenUp = false
        for (flow, waiter) in waiting where waiter.run == run {
            guard await engine.cancel(flow) else { continue }
            end(flow, waiter.ticket, PushError(.cancelled, "The app gave up."))
            isGivenUp = true
        }
        return isGivenUp
    }
}

extension PushError {
    /// Whether sending the same bytes again may help.
    var isPassing: Bool {
        switch code {
        case .unreachable, .interrupted, .oversizedReply, .server(status: 500...),
            .server(status: 429):
            true
        default: false
        }
    }

    /// Whether it is about bytes that anyone can send: they change nothing.
    var isNoise: Bool {
        switch oneSpan {
        case .command(.commandMalformed), .command(.commandNotForThisDevice),
            .command(.commandUntrusted), .command(.commandReplayed), .command(.unexpectedCommand):
            true
        default: false
        }
    }
}
