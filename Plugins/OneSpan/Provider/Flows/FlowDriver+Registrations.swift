import PushCore

/// A registration whose reply may still come.
struct PendingRegistration: Sendable {
    let identifier: String
    let command: OrchestrationCommand
    let flow: FlowID

    /// When nobody waits for the reply any longer, by the monotonic clock.
    let end: Duration
}

/// Registrations: the same bytes go out again as long as their reply may come.
extension FlowDriver {
    /// Starts a registration, or goes on with the one that is unanswered.
    func registration(
        of identifier: NotificationIdentifier, for enrollment: Enrollment.ID
    ) async throws(PushError) -> OrchestrationStep {
        if let pending = registrations.removeValue(forKey: enrollment) {
            if pending.identifier == identifier.text, clock.elapsed < pending.end {
                registrations[enrollment] = pending
                return .send(pending.command, pending.flow, .notificationRegistration)
            }
            _ = await engine.cancel(pending.flow)
        }
        return try await engine.start(
            .registerNotification(
                WorkflowIntent.NotificationRegistration(
                    deviceID: enrollment.name, identifier: identifier.text)))
    }

    /// Carries a registration to its end.
    ///
    /// - Throws: `PushError`. The registration goes on with the same bytes the next time, unless it
    ///   can't, or its time is over.
    func carry(
        _ registration: OrchestrationStep, of identifier: NotificationIdentifier,
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> OrchestrationStep {
        var step = registration
        let end = registrations[enrollment]?.end ?? clock.elapsed + configuration.patience.answer
        while case .send(let command, let flow, let kind) = step {
            registrations[enrollment] = PendingRegistration(
                identifier: identifier.text, command: command, flow: flow, end: end)
            do throws(PushError) {
                step = try await carry(
                    (command, flow, kind), of: .registration(enrollment),
                    tries: configuration.tries, limit: end - clock.elapsed)
            } catch {
                if !error.isPassing || error.oneSpan == .noReply {
                    registrations[enrollment] = nil
                    _ = await engine.cancel(flow)
                }
                throw error
            }
        }
        registrations[enrollment] = nil
        return step
    }
}
