import PushCore

/// Registrations whose reply may still come: the same bytes go out again meanwhile.
///
/// It is a cache: without it, the identifier is registered once more, by another command.
actor PendingRegistrations {
    private struct Pending {
        let identifier: String
        let sending: CommandCarrier.Sending

        /// When nobody waits for the reply any longer, by the monotonic clock.
        let end: Duration
    }

    private let carrier: CommandCarrier
    private let clock: any PushClock
    private var pending: [Enrollment.ID: Pending] = [:]

    init(_ carrier: CommandCarrier, _ clock: any PushClock) {
        self.carrier = carrier
        self.clock = clock
    }

    /// Drops what is known of a device that is no longer one.
    func forget(_ enrollment: Enrollment.ID) { pending[enrollment] = nil }

    /// Drops everything that is kept, as may happen at any moment.
    func dropCaches() { pending.removeAll() }

    /// Registers an identifier, or goes on with the registration that is unanswered.
    ///
    /// - Returns: The server's word.
    /// - Throws: ``OrchestrationError``. The same bytes go out the next time, unless they can't, or
    ///   their time is over.
    func register(
        _ identifier: NotificationIdentifier, for enrollment: Enrollment.ID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        var end = clock.elapsed + ReplyLimit.answer
        var step: OrchestrationStep
        if let known = await unanswered(identifier, enrollment) {
            end = known.end
            step = .send(known.sending.command, known.sending.flow, known.sending.kind)
        } else {
            step = try await carrier.engine.start(
                .registerNotification(deviceID: enrollment.name, identifier: identifier.text))
        }
        while case .send(let command, let flow, let kind) = step {
            let sending = (command, flow, kind)
            pending[enrollment] = Pending(
                identifier: identifier.text, sending: sending, end: end)
            do throws(OrchestrationError) {
                step = try await carrier.carry(
                    sending, of: .registration(enrollment), tries: carrier.tries,
                    limit: end - clock.elapsed)
            } catch {
                if !error.isPassing || error.oneSpan == .noReply {
                    pending[enrollment] = nil
                    _ = await carrier.engine.cancel(flow)
                }
                throw error
            }
        }
        pending[enrollment] = nil
        return step
    }

    /// The registration of this identifier that waits for its reply. Another one's is given up.
    private func unanswered(
        _ identifier: NotificationIdentifier, _ enrollment: Enrollment.ID
    ) async -> Pending? {
        guard let known = pending[enrollment] else { return nil }
        if known.identifier == identifier.text, clock.elapsed < known.end { return known }
        pending[enrollment] = nil
        _ = await carrier.engine.cancel(known.sending.flow)
        return nil
    }
}
