import PushCore

/// Remote requests, step by step as ``RemoteFlow`` has them.
extension FlowDriver {
    /// What a fetch brought.
    enum Fetched: Sendable {
        case open(OpenRequest)
        case outdated(SessionOutdatedReason)
    }

    /// A request that the user can decide: the one that was fetched before, while its time lasts.
    ///
    /// - Parameter isFresh: Whether an earlier one won't do.
    /// - Throws: `PushError` with ``OneSpanError/outdated(_:)`` beneath it if it is no longer
    ///   pending.
    func request(
        _ id: Challenge.ID, _ trigger: OrchestrationCommand, isFresh: Bool = false
    ) async throws(PushError) -> OpenRequest {
        if let known = open[id], known.awaitsUser {
            let isLate = await isLate(known)
            if !isFresh, !isLate { return known }
            try await giveUp(known, isLate ? .timeEnd : .cancel)
        }
        drop(id)
        switch try await fetch(trigger, for: id) {
        case .open(let request):
            await keep(request, as: id)
            return request
        case .outdated(let reason):
            words[id] = .outdated(reason)
            throw OneSpanError.outdated(reason).error
        }
    }

    /// Refuses an answer to what is open once the user's time is over: nothing is sent then.
    func refuseLate(_ id: Challenge.ID) async throws(PushError) {
        guard let known = open[id], known.awaitsUser, await isLate(known) else { return }
        try await giveUp(known, .timeEnd)
        drop(id)
        hear(.outdated(.expired), of: id)
        throw OneSpanError.outdated(.expired).error
    }

    private func isLate(_ request: OpenRequest) async -> Bool {
        await engine.timeLeft(of: request.flow).map { $0 <= .zero } ?? false
    }

    private func giveUp(
        _ request: OpenRequest, _ event: RemoteFlow.Event
    ) async throws(PushError) {
        var run = request.run
        try run.take(event)
        _ = await engine.cancel(request.flow)
    }

    /// What the server says of a request. What is open meanwhile stays as it is.
    func status(
        of id: Challenge.ID, _ trigger: OrchestrationCommand
    ) async throws(PushError) -> Fetched {
        let found = try await fetch(trigger, for: id)
        guard case .open(let fetched) = found else { return found }
        if open[id] == nil {
            await keep(fetched, as: id)
        } else {
            _ = await engine.cancel(fetched.flow)
        }
        return found
    }

    /// Executes a trigger, and fetches what it announces.
    ///
    /// - Parameter id: What it must be; `nil` if only executing it tells.
    func fetch(
        _ trigger: OrchestrationCommand, for id: Challenge.ID?
    ) async throws(PushError) -> Fetched {
        var step = try await start(trigger)
        guard case .send(_, _, let kind) = step, kind == .authentication || kind == .transaction
        else {
            return try ended(step)
        }
        var run = RemoteRun(kind)
        try run.take(.trigger)
        while case .send(let command, let flow, _) = step {
            do throws(PushError) {
                step = try await carry(
                    (command, flow, kind), of: .request(trigger), tries: configuration.tries,
                    limit: configuration.patience.fetch, isHint: id == nil)
            } catch {
                try run.take(error.oneSpan == .noReply ? .noReply : .relayFailure)
                _ = await engine.cancel(flow)
                throw error
            }
        }
        guard case .display(let displayed, let flow, _) = step else {
            return try ended(step, &run)
        }
        let request = displayed.judged(as: kind)
        do throws(PushError) {
            try run.take(RemoteFlow.Event(request))
            // Not the server's word on this device: no challenge ends by it.
            guard id.map({ $0.enrollment.name == request.deviceID }) ?? true else {
                throw PushError(
                    .untrusted, "The request is another device's.",
                    underlying: OrchestrationProblem.commandNotForThisDevice)
            }
            guard id.map({ $0.name == request.requestID }) ?? true else {
                throw OneSpanError.command(.unexpectedCommand).error
            }
        } catch {
            _ = await engine.cancel(flow)
            throw error
        }
        return .open(OpenRequest(flow: flow, request: request, run: run))
    }

    private func ended(
        _ step: OrchestrationStep, _ run: inout RemoteRun
    ) throws(PushError) -> Fetched {
        switch step {
        case .outdated(let reason, _): try run.take(.notPending(reason))
        case .serverError: try run.take(.sealedError)
        default: break
        }
        return try ended(step)
    }

    private func ended(_ step: OrchestrationStep) throws(PushError) -> Fetched {
        switch step {
        case .outdated(let reason, _): return .outdated(reason)
        case .serverError(let error, _): throw error.error
        default: throw OneSpanError.command(.invalidState).error
        }
    }

    // MARK: What is open

    /// How long the user may take to decide an open request; `nil` if that isn't known.
    func timeLeft(of id: Challenge.ID) async -> Duration? {
        guard let flow = open[id]?.flow else { return nil }
        return await engine.timeLeft(of: flow)
    }

    /// Ends an open request that the user gave up; the server isn't told.
    ///
    /// - Returns: Whether it is over: an answer that is on its way isn't.
    func abandon(_ id: Challenge.ID) async -> Bool {
        guard let known = open[id] else { return true }
        guard known.awaitsUser, await engine.cancel(known.flow) else { return false }
        drop(id)
        return true
    }

    /// Keeps a request, and ends the flow of the oldest if there are too many; not one that is being
    /// answered.
    func keep(_ request: OpenRequest, as id: Challenge.ID) async {
        open[id] = request
        openOrder.removeAll { $0 == id }
        openOrder.append(id)
        var ended: [FlowID] = []
        while openOrder.count > Self.openLimit,
            let oldest = openOrder.first(where: { $0 != id && !busy.contains($0) })
        {
            if let flow = open[oldest]?.flow { ended.append(flow) }
            drop(oldest)
        }
        for flow in ended { _ = await engine.cancel(flow) }
    }

    /// How many requests stay open.
    static let openLimit = 32

    func drop(_ id: Challenge.ID) {
        open[id] = nil
        openOrder.removeAll { $0 == id }
    }

    /// The last that was heard of a request, told once.
    func word(on id: Challenge.ID) -> RequestWord? { words.removeValue(forKey: id) }

    /// What an answer that went out belongs to, told once; `nil` if it couldn't go out.
    func kind(ofSent id: Challenge.ID) -> WorkflowKind? { sentKinds.removeValue(forKey: id) }

    func hear(_ word: RequestWord, of id: Challenge.ID) {
        if words.count >= 64 { words.removeAll() }
        words[id] = word
    }
}
