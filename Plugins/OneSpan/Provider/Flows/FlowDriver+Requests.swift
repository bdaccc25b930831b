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
        if var known = open[id], known.awaitsUser {
            let left = await engine.timeLeft(of: known.flow)
            if left.map({ $0 > .zero }) ?? true {
                if !isFresh { return known }
                _ = try known.run.take(.cancel)
            } else {
                _ = try known.run.take(.timeEnd)
            }
            _ = await engine.cancel(known.flow)
        }
        drop(id)
        switch try await fetch(trigger, for: id.enrollment) {
        case .open(let request):
            keep(request, as: id)
            return request
        case .outdated(let reason):
            words[id] = .outdated(reason)
            throw OneSpanError.outdated(reason).error
        }
    }

    /// Executes a trigger, and fetches what it announces.
    func fetch(
        _ trigger: OrchestrationCommand, for enrollment: Enrollment.ID?
    ) async throws(PushError) -> Fetched {
        var step = try await start(trigger)
        guard case .send(_, _, let kind) = step else {
            return try ended(step)
        }
        var run = RemoteRun(kind)
        try run.take(.trigger)
        while case .send(let command, let flow, _) = step {
            do throws(PushError) {
                step = try await carry(
                    (command, flow, kind), tries: configuration.tries,
                    limit: configuration.patience.fetch)
            } catch {
                try run.take(error.oneSpan == .noReply ? .noReply : .relayFailure)
                _ = await engine.cancel(flow)
                throw error
            }
        }
        guard case .display(let request, let flow, _) = step else {
            return try ended(step, &run)
        }
        do throws(PushError) {
            try run.take(RemoteFlow.Event(request))
            if let enrollment, request.deviceID != enrollment.name {
                throw OneSpanError.command(.commandNotForThisDevice).error
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

    func keep(_ request: OpenRequest, as id: Challenge.ID) {
        open[id] = request
        openOrder.removeAll { $0 == id }
        openOrder.append(id)
        while openOrder.count > 32 { drop(openOrder[0]) }
    }

    func drop(_ id: Challenge.ID) {
        open[id] = nil
        openOrder.removeAll { $0 == id }
    }

    /// The last that was heard of a request, told once.
    func word(on id: Challenge.ID) -> RequestWord? { words.removeValue(forKey: id) }

    func hear(_ word: RequestWord, of id: Challenge.ID) {
        if words.count >= 64 { words.removeAll() }
        words[id] = word
    }
}
