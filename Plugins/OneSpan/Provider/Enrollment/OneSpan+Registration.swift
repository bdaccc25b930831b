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
    ) async throws(PushError) -> Bool {
        try await finishUnanswered(enrollment)
        let credential = try await vault.existing(enrollment)
        let kept = try OneSpanCredential(credential.secret)
        var run = RegistrationRun(kept)
        try run.take(.newToken)
        switch credential.enrollment.state {
        case .active where kept.isIdentifierConfirmed && kept.identifier == identifier.text:
            try run.take(.unchangedIdentifier)
            return false
        case .active, .pending(.deviceToken): try run.take(.changedIdentifier)
        case .needsReenrollment:
            _ = try? run.take(.notActivated)
            throw OneSpanError.authenticator(-1300).error
        default: try run.take(.notActivated)
        }
        // Before the command leaves: if its reply is lost, nobody knows what the server holds.
        try await mark(identifier, at: enrollment, isConfirmed: false)
        try await exchange(identifier, enrollment, &run)
        return true
    }

    private func exchange(
        _ identifier: NotificationIdentifier, _ enrollment: Enrollment.ID,
        _ run: inout RegistrationRun
    ) async throws(PushError) {
        let step: OrchestrationStep
        do throws(PushError) {
            step = try await driver.carry(
                driver.registration(of: identifier, for: enrollment), of: identifier,
                for: enrollment)
        } catch {
            try run.take(error.oneSpan == .noReply ? .noReply : .relayFailure)
            if error.saysRemoved { try await noteRemoval(of: enrollment) }
            throw error
        }
        switch step {
        case .finished(.registered, _):
            try run.take(.reply)
            try await mark(identifier, at: enrollment, isConfirmed: true)
        case .serverError(let error, _):
            try run.take(.sealedError)
            if OneSpanError(error).isRemoval { try await noteRemoval(of: enrollment) }
            throw error.error
        default: throw OneSpanError.command(.invalidState).error
        }
    }

    private func mark(
        _ identifier: NotificationIdentifier, at enrollment: Enrollment.ID, isConfirmed: Bool
    ) async throws(PushError) {
        try await vault.update(enrollment) { (credential) throws(PushError) in
            var kept = try OneSpanCredential(credential.secret)
            if isConfirmed {
                // Meanwhile another process may have sent another one.
                guard kept.identifier == identifier.text else { return }
                credential.enrollment.state = .active
            } else {
                kept.identifier = identifier.text
            }
            kept.isIdentifierConfirmed = isConfirmed
            credential.secret = kept.sealed
        }
    }
}

/// One notification registration on its way through its table.
struct RegistrationRun: Sendable {
    private(set) var state: NotificationRegistrationFlow.State

    init(_ kept: OneSpanCredential) {
        state =
            kept.identifier != nil && kept.isIdentifierConfirmed ? .registered : .notRegistered
    }

    /// Takes an event.
    ///
    /// - Throws: `PushError` if the table says no; the state is the table's all the same.
    mutating func take(_ event: NotificationRegistrationFlow.Event) throws(PushError) {
        let transition = NotificationRegistrationFlow.next(state, event)
        state = transition.state
        for effect in transition.effects {
            switch effect {
            case .tellNotActivated: throw OneSpanError.notActivated.error
            case .complain(let complaint): throw OneSpanError.command(complaint.problem).error
            default: break
            }
        }
    }
}
