import PushCore

/// Notification registration: one round trip, and the end of an activation on the server's side.
extension OneSpan {
    /// Registers an identifier, unless the server certainly holds it.
    ///
    /// The caller holds the enrollment's turn.
    ///
    /// - Returns: Whether anything was sent.
    @discardableResult
    func register(
        _ identifier: NotificationIdentifier, for enrollment: Enrollment.ID
    ) async throws(OrchestrationError) -> Bool {
        try await finishUnanswered(enrollment)
        let credential = try await vault.existing(enrollment)
        let kept = try await outside { () async throws(PushError) in
            try OneSpanCredential(credential.secret)
        }
        switch credential.enrollment.state {
        case .active where kept.isIdentifierConfirmed && kept.identifier == identifier.text:
            return false
        case .active, .pending(.deviceToken): break
        case .needsReenrollment: throw OrchestrationError(.authenticator(-1300))
        default: throw OrchestrationError(.notActivated)
        }
        // Before the command leaves: if its reply is lost, nobody knows what the server holds.
        try await mark(identifier, at: enrollment, isConfirmed: false)
        let step: OrchestrationStep
        do throws(OrchestrationError) {
            step = try await registrations.register(identifier, for: enrollment)
        } catch {
            if error.saysRemoved { try await noteRemoval(of: enrollment) }
            throw error
        }
        switch step {
        case .finished(.registered, _):
            try await mark(identifier, at: enrollment, isConfirmed: true)
        case .serverError(let error, _):
            if OneSpanError(error).isRemoval { try await noteRemoval(of: enrollment) }
            throw OrchestrationError(error)
        default: throw OrchestrationError(OneSpanError.invalidState)
        }
        return true
    }

    private func mark(
        _ identifier: NotificationIdentifier, at enrollment: Enrollment.ID, isConfirmed: Bool
    ) async throws(OrchestrationError) {
        try await vault.update(enrollment) { (kept, enrollment) in
            if isConfirmed {
                // Meanwhile another process may have sent another one.
                guard kept.identifier == identifier.text else { return }
                enrollment.state = .active
            } else {
                kept.identifier = identifier.text
            }
            kept.isIdentifierConfirmed = isConfirmed
        }
    }
}

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
    private let configuration: OneSpan.Configuration
    private let clock: any PushClock
    private var pending: [Enrollment.ID: Pending] = [:]

    init(
        _ carrier: CommandCarrier, _ configuration: OneSpan.Configuration, _ clock: any PushClock
    ) {
        self.carrier = carrier
        self.configuration = configuration
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
                    sending, of: .registration(enrollment), tries: configuration.tries,
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
