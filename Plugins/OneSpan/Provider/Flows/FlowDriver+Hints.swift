import PushCore

/// Commands that only executing them can read.
extension FlowDriver {
    /// A request that a command of unknown content led to.
    struct Found: Sendable {
        let id: Challenge.ID
        let request: DisplayRequest
        var enrollment: Enrollment.ID { id.enrollment }
    }

    /// Where a command of unknown content led.
    enum Lead: Sendable {
        case request(Challenge.ID)
        /// To a request that is over, and stays so.
        case over
        /// To nothing that can be told yet: why, and when the question began, by the monotonic clock.
        case failed(PushError, at: Duration)
    }

    /// A question that is under way, for all who wait for it.
    typealias Asking = Task<Result<Found?, PushError>, Never>

    /// How long a question that failed isn't asked again: a push leads every enrollment to it.
    private static let pauseAfterFailure = Duration.seconds(3)

    /// Executes a command, and keeps what it leads to; a command that was executed before leads to
    /// the same request while that is open. One that nothing came of costs the server one question,
    /// whichever enrollments it may have been for, and however many of them ask at once; one that
    /// failed is asked again after three seconds at the earliest.
    ///
    /// - Returns: The request; `nil` if it is no longer pending.
    func found(
        _ trigger: OrchestrationCommand, by provider: ProviderID
    ) async throws(PushError) -> Found? {
        switch led[trigger] {
        case .over?: return nil
        case .request(let id)?:
            if let request = open[id]?.request { return Found(id: id, request: request) }
        case .failed(let error, let began)?:
            let passed = clock.elapsed - began
            guard passed >= Self.pauseAfterFailure || passed < .zero else { throw error }
        case nil: break
        }
        return try await (asking[trigger] ?? ask(trigger, by: provider)).value.get()
    }

    private func ask(_ trigger: OrchestrationCommand, by provider: ProviderID) -> Asking {
        let began = clock.elapsed
        let question = Asking {
            let found = await Result { () async throws(PushError) in
                try await self.request(of: trigger, by: provider)
            }
            if case .failure(let error) = found {
                self.remember(.failed(error, at: began), of: trigger)
            }
            self.asking[trigger] = nil
            return found
        }
        asking[trigger] = question
        return question
    }

    private func request(
        of trigger: OrchestrationCommand, by provider: ProviderID
    ) async throws(PushError) -> Found? {
        guard case .open(let opened) = try await fetch(trigger, for: nil),
            let request = opened.request
        else {
            remember(.over, of: trigger)
            return nil
        }
        let id = Challenge.ID(request.requestID, of: Enrollment.ID(request.deviceID, of: provider))
        if open[id] == nil {
            await keep(opened, as: id)
        } else {
            // What the user sees, or answers, goes on.
            _ = await engine.cancel(opened.flow)
        }
        remember(.request(id), of: trigger)
        return Found(id: id, request: request)
    }

    private func remember(_ lead: Lead, of trigger: OrchestrationCommand) {
        if led.count >= 32 { led.removeAll() }
        led[trigger] = lead
    }
}
