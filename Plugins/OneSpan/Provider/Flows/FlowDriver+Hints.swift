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
    }

    /// Executes a command, and keeps what it leads to; a command that was executed before leads to
    /// the same request while that is open. One that nothing came of costs the server one question,
    /// whichever enrollments it may have been for.
    ///
    /// - Returns: The request; `nil` if it is no longer pending.
    func found(
        _ trigger: OrchestrationCommand, by provider: ProviderID
    ) async throws(PushError) -> Found? {
        switch led[trigger] {
        case .over?: return nil
        case .request(let id)?:
            if let request = open[id]?.request { return Found(id: id, request: request) }
        case nil: break
        }
        guard case .open(let opened) = try await fetch(trigger, for: nil),
            let request = opened.request
        else {
            remember(.over, of: trigger)
            return nil
        }
        let id = Challenge.ID(request.requestID, of: Enrollment.ID(request.deviceID, of: provider))
        await keep(opened, as: id)
        remember(.request(id), of: trigger)
        return Found(id: id, request: request)
    }

    private func remember(_ lead: Lead, of trigger: OrchestrationCommand) {
        if led.count >= 32 { led.removeAll() }
        led[trigger] = lead
    }
}
