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
        default: throw OrchestrationError(OneSpanError.command(.invalidState))
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
