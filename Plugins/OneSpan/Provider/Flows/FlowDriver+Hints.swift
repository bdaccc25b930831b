import PushCore

/// Commands that only executing them can read.
extension FlowDriver {
    /// A request that a command of unknown content led to.
    struct Found: Sendable {
        let id: Challenge.ID
        let request: DisplayRequest
        var enrollment: Enrollment.ID { id.enrollment }
    }

    /// Executes a command, and keeps what it leads to; a command that was executed before leads to
    /// the same request while that is open.
    ///
    /// - Returns: The request; `nil` if it is no longer pending.
    func found(
        _ trigger: OrchestrationCommand, by provider: ProviderID
    ) async throws(PushError) -> Found? {
        if let id = led[trigger], let request = open[id]?.request {
            return Found(id: id, request: request)
        }
        guard case .open(let opened) = try await fetch(trigger, for: nil),
            let request = opened.request
        else { return nil }
        let id = Challenge.ID(request.requestID, of: Enrollment.ID(request.deviceID, of: provider))
        await keep(opened, as: id)
        if led.count >= 32 { led.removeAll() }
        led[trigger] = id
        return Found(id: id, request: request)
    }
}
