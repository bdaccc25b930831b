import PushCore

/// What must not be left half done: the last command of an activation, and a change of the
/// password.
struct ResumableWorkflows: Sendable {
    /// How often a user may choose another password when one can't be used.
    private static let passwordTries = 3

    let users: UserRecords
    let carrier: CommandCarrier
    let recovery: Recovery
    let environment: PushEnvironment

    /// Sends again what an earlier process left unanswered; nothing else may use its keys.
    ///
    /// The caller holds the enrollment's turn.
    ///
    /// - Returns: What is finished by it; `nil` if nothing was unanswered.
    @discardableResult
    func finishUnanswered(
        _ account: WorkflowAccount
    ) async throws(OrchestrationError) -> WorkflowOutcome? {
        let id = account.id
        guard let step = try await recovery.step(for: id.name) else { return nil }
        do throws(OrchestrationError) {
            switch try await carryOn(step, id, .unanswered(id), oldPassword: nil) {
            case .finished(.activated(let deviceID, let user, let domain), _):
                _ = try await users.keep(deviceID, of: user, in: domain)
                return .activated(deviceID: deviceID, user: user, domain: domain)
            case .serverError(let error, _):
                // As it is now: another process may have got the reply.
                if try await users.accounts.account(id)?.enrollment.state
                    == .pending(.unconfirmed)
                {
                    try await users.erase(id)
                } else if OneSpanError(error).isRemoval {
                    try await users.noteRemoval(of: account)
                }
                throw OrchestrationError(error)
            case .inputRejected(let problem, _, _): throw problem.error
            case .finished(.passwordChanged(let deviceID), _):
                environment.observer.observe(
                    PushObservation(
                        .noticed, "A change of the password that was unanswered is complete.",
                        provider: users.provider))
                return .passwordChanged(deviceID: deviceID)
            default: return nil
            }
        } catch {
            await recovery.forget(id.name)
            throw error
        }
    }

    /// An enrollment with nothing left unanswered. If that took an exchange, it is read again, as
    /// the engine writes what came of it.
    ///
    /// The caller holds the enrollment's turn.
    func settled(_ account: WorkflowAccount) async throws(OrchestrationError) -> WorkflowAccount {
        guard try await finishUnanswered(account) != nil else { return account }
        return try await users.accounts.existing(account.id)
    }

    /// Replaces the user's password.
    ///
    /// The caller holds the enrollment's turn. Only the server can tell whether the old password is
    /// right.
    func changePassword(
        of account: WorkflowAccount, from old: Secret, to new: Secret
    ) async throws(OrchestrationError) {
        let id = account.id
        guard try await settled(account).enrollment.state == .active else {
            throw OrchestrationError(.notActivated)
        }
        var step = try await carrier.engine.start(.changePassword(deviceID: id.name))
        while case .authenticate(_, let flow, let isEnrollment) = step {
            let secret = isEnrollment ? new : old
            step = try await carrier.engine.provide(password: secret, orEnd: flow)
        }
        if case .inputRejected(let problem, let flow, _) = step {
            _ = await carrier.engine.cancel(flow)
            throw problem.error
        }
        do throws(OrchestrationError) {
            step = try await carryOn(step, id, .passwordChange(id), oldPassword: old)
        } catch {
            await recovery.forget(id.name)
            throw error
        }
        switch step {
        case .finished(.passwordChanged, _): break
        case .inputRejected(let problem, _, _): throw problem.error
        case .serverError(let error, _):
            if OneSpanError(error).isRemoval { try await users.noteRemoval(of: account) }
            throw OrchestrationError(error)
        default: throw OrchestrationError(OneSpanError.invalidState)
        }
    }

    /// Carries on until the server has spoken. The old password is asked for again if the server's
    /// counter was ahead, and in a later process the new one as well.
    private func carryOn(
        _ first: OrchestrationStep, _ enrollment: Enrollment.ID, _ run: WorkflowRun,
        oldPassword: Secret?
    ) async throws(OrchestrationError) -> OrchestrationStep {
        var step = first
        var known = oldPassword
        var isChoosing = false
        var tries = 0
        while true {
            switch step {
            case .send(let command, let flow, let kind):
                step = try await carrier.carry(
                    (command, flow, kind), of: run, tries: carrier.tries)
            case .authenticate(_, let flow, let isEnrollment) where tries < Self.passwordTries:
                tries += 1
                isChoosing = isEnrollment
                if known == nil {
                    let request = VerificationRequest(
                        .manage(enrollment, "Change password"),
                        alternatives: isEnrollment ? [[.newPIN]] : [[.pin]])
                    known = try await outside { () async throws(PushError) in
                        try await environment.verifier.verify(request).pin
                    }
                }
                guard let secret = known else {
                    throw OrchestrationError(.verificationFailed, "A password is needed.")
                }
                step = try await carrier.engine.provide(.secret(secret), to: flow)
                known = nil
            case .inputRejected(_, let flow, mayRetry: true) where tries < Self.passwordTries:
                step = .authenticate(.password, flow, isEnrollment: isChoosing)
            default: return step
            }
        }
    }
}

extension InputProblem {
    /// The error that ends a change of the password.
    fileprivate var error: OrchestrationError {
        switch self {
        case .wrongResponse: OrchestrationError(.passwordRejected(attemptsLeft: attemptsLeft))
        case .samePassword:
            OrchestrationError(.verificationFailed, "The new password is the old one.")
        case .weakPassword: OrchestrationError(.verificationFailed, "The password can't be used.")
        }
    }
}
