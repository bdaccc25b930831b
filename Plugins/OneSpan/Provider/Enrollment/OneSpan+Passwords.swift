import PushCore

/// What must not be left half done: the last command of an activation, and a change of the
/// password.
extension OneSpan {
    /// How often a user may choose another password when one can't be used.
    private static let passwordTries = 3

    /// Sends again what an earlier process left unanswered; nothing else may use its keys.
    ///
    /// The caller holds the enrollment's turn.
    ///
    /// - Returns: What is finished by it; `nil` if nothing was unanswered.
    @discardableResult
    func finishUnanswered(
        _ enrollment: Enrollment.ID
    ) async throws(PushError) -> WorkflowOutcome? {
        guard let step = try await driver.recover(enrollment.name) else { return nil }
        do throws(PushError) {
            switch try await finished(
                step, enrollment, .unanswered(enrollment), oldPassword: nil)
            {
            case .finished(.activated(let device), _):
                _ = try await keep(device)
                return .activated(device)
            case .serverError(let error, _):
                if try await vault.credential(enrollment)?.enrollment.state
                    == .pending(.unconfirmed)
                {
                    try await erase(enrollment)
                } else if OneSpanError(error).isRemoval {
                    try await noteRemoval(of: enrollment)
                }
                throw error.error
            case .inputRejected(let problem, _): throw problem.error
            case .finished(.passwordChanged(let deviceID), _):
                environment.observer.observe(
                    Observation(
                        .noticed, "A change of the password that was unanswered is complete.",
                        provider: id))
                return .passwordChanged(deviceID: deviceID)
            default: return nil
            }
        } catch {
            await driver.mayRecover(enrollment.name)
            throw error
        }
    }

    /// Replaces the user's password.
    ///
    /// The caller holds the enrollment's turn. Only the server can tell whether the old password is
    /// right.
    func changePassword(
        of enrollment: Enrollment.ID, from old: Secret, to new: Secret
    ) async throws(PushError) {
        try await finishUnanswered(enrollment)
        var run = PasswordRun()
        let isActive = try await vault.existing(enrollment).enrollment.state == .active
        try run.take(isActive ? .start : .startNotActivated)
        var step = try await driver.engine.start(.changePassword(deviceID: enrollment.name))
        while case .authenticate(let asked, let flow) = step {
            let secret = asked.purpose == .enrollment ? new : old
            step = try await provide(secret, to: flow)
        }
        if case .inputRejected(let problem, let flow) = step {
            try run.take(.passwordUnusable)
            _ = await driver.engine.cancel(flow)
            throw problem.error
        }
        try run.take(.passwordsAccepted)
        do throws(PushError) {
            step = try await finished(
                step, enrollment, .passwordChange(enrollment), oldPassword: old)
        } catch {
            try run.take(.relayFailure)
            await driver.mayRecover(enrollment.name)
            throw error
        }
        switch step {
        case .finished: try run.take(.changed)
        case .inputRejected(let problem, _):
            try run.take(.oldPasswordWrong)
            throw problem.error
        case .serverError(let error, _):
            try run.take(.sealedError)
            if OneSpanError(error).isRemoval { try await noteRemoval(of: enrollment) }
            throw error.error
        default: throw OneSpanError.command(.invalidState).error
        }
    }

    /// Carries on until the server has spoken. The old password is asked for again if the server's
    /// counter was ahead, and in a later process the new one as well.
    private func finished(
        _ first: OrchestrationStep, _ enrollment: Enrollment.ID, _ run: FlowRun,
        oldPassword: Secret?
    ) async throws(PushError) -> OrchestrationStep {
        var step = first
        var known = oldPassword
        var last = UserAuthenticationRequest(.password, .verification)
        var tries = 0
        while true {
            switch step {
            case .send(let command, let flow, let kind):
                step = try await driver.carry(
                    (command, flow, kind), of: run, tries: configuration.tries)
            case .authenticate(let asked, let flow) where tries < Self.passwordTries:
                tries += 1
                last = asked
                if known == nil {
                    known = try await environment.verifier.verify(
                        VerificationRequest(
                            .manage(enrollment, "Change password"),
                            alternatives: asked.purpose == .enrollment ? [[.newPIN]] : [[.pin]])
                    ).pin
                }
                guard let secret = known else {
                    throw PushError(.verificationFailed, "A password is needed.")
                }
                step = try await driver.engine.provide(.secret(secret), to: flow)
                known = nil
            case .inputRejected(let problem, let flow)
            where problem.mayRetry && tries < Self.passwordTries:
                step = .authenticate(last, flow)
            default: return step
            }
        }
    }
}

extension InputProblem {
    /// The error that ends a change of the password.
    fileprivate var error: PushError {
        switch reason {
        case .wrongResponse: OneSpanError.passwordRejected(attemptsLeft: attemptsLeft).error
        case .samePassword:
            PushError(.verificationFailed, "The new password is the old one.")
        case .weakPassword: PushError(.verificationFailed, "The password can't be used.")
        }
    }
}

/// One change of a password on its way through its table.
struct PasswordRun: Sendable {
    private(set) var state = ChangePasswordFlow.State.idle

    /// Takes an event.
    ///
    /// - Throws: `PushError` if the table says no; the state is the table's all the same.
    mutating func take(_ event: ChangePasswordFlow.Event) throws(PushError) {
        let transition = ChangePasswordFlow.next(state, event)
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
