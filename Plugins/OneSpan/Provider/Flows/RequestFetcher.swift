import PushCore

/// Fetches the request that a command announces. It keeps nothing.
struct RequestFetcher: Sendable {
    /// What a fetch brought.
    enum Fetched: Sendable {
        case open(flow: FlowID, OneSpanRequest)
        case outdated(SessionOutdatedReason)
    }

    let carrier: CommandCarrier

    private var engine: any OrchestrationEngine { carrier.engine }

    /// Executes a trigger, and fetches what it announces.
    ///
    /// - Parameters:
    ///   - trigger: The command that announces it.
    ///   - id: The challenge that it must be; `nil` if only executing it tells.
    /// - Returns: The open request, or why it is over.
    /// - Throws: ``OrchestrationError``: the engine's or the relay's; `untrusted` if the fetch brings
    ///   another request.
    func fetch(
        _ trigger: OrchestrationCommand, for id: Challenge.ID?
    ) async throws(OrchestrationError) -> Fetched {
        var step = try await engine.consume(trigger)
        guard case .send(_, _, let kind?) = step else { return try end(step) }
        while case .send(let command, let flow, _) = step {
            do throws(OrchestrationError) {
                step = try await carrier.carry(
                    (command, flow, kind), of: .request(trigger), tries: carrier.tries,
                    limit: ReplyLimit.fetch, isHint: id == nil)
            } catch {
                _ = await engine.cancel(flow)
                throw error
            }
        }
        guard case .display(let displayed, let flow) = step else { return try end(step) }
        if let id {
            do throws(OrchestrationError) {
                try check(displayed, id)
            } catch {
                _ = await engine.cancel(flow)
                throw error
            }
        }
        return .open(flow: flow, displayed.judged(as: kind))
    }

    private func check(
        _ request: OneSpanRequest, _ id: Challenge.ID
    ) throws(OrchestrationError) {
        // Not the server's word on this device: no challenge ends by it.
        guard request.deviceID == id.enrollment.name else {
            throw OrchestrationError(foreignRequest: "The request is another device's.")
        }
        guard request.requestID == id.name else {
            throw OrchestrationError(.unexpectedCommand, "The request is another one.")
        }
    }

    private func end(_ step: OrchestrationStep) throws(OrchestrationError) -> Fetched {
        guard case .outdated(let reason, _) = step else {
            throw OrchestrationError(ending: step)
        }
        return .outdated(reason)
    }
}

extension OrchestrationError {
    /// Creates what a step says that ends a workflow before its time.
    init(ending step: OrchestrationStep) {
        switch step {
        case .outdated(let reason, _): self.init(.outdated(reason))
        case .serverError(let error, _): self.init(error)
        case .aborted: self.init(.cancelled, "The request was given up.")
        default: self.init(OneSpanError.invalidState)
        }
    }
}
