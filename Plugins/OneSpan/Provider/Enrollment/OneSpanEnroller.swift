import PushCore

struct OneSpanEnroller: Enroller {
    let provider: OneSpan

    /// How often a user may choose another password when one can't be used.
    private static let passwordTries = 3

    private var driver: FlowDriver { provider.driver }

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard case .credentials(let user, let password) = invitation else { return nil }
        guard !user.isEmpty else {
            throw OneSpanError.input(.userIDNullOrEmpty).error.of(provider.id)
        }
        guard password.count > 0 else {
            throw OneSpanError.input(.activationPasswordNullOrEmpty).error.of(provider.id)
        }
        do throws(PushError) {
            try driver.engine.check(activation(user, password))
        } catch {
            throw error.of(provider.id)
        }
        let asks: [Factor] =
            provider.configuration.hasBiometry ? [.newPIN, .newBiometry] : [.newPIN]
        return Offer(
            provider: provider.id, invitation: invitation, issuer: provider.configuration.domain,
            account: user, host: driver.relay?.host, asks: [asks])
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        do throws(PushError) {
            let enrollment = try await activated(offer, evidence)
            guard let deviceToken, enrollment.state == .pending(.deviceToken) else {
                return enrollment
            }
            return try await registered(deviceToken, enrollment)
        } catch {
            throw error.of(provider.id)
        }
    }

    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        guard let deviceToken else {
            throw PushError(
                .unsupported, "OneSpan has no command that takes an identifier away.",
                provider: provider.id)
        }
        do throws(PushError) {
            let identifier = try await provider.identifier(for: deviceToken)
            try await provider.register(identifier, for: enrollment)
        } catch {
            throw error.of(provider.id)
        }
    }

    /// OneSpan has no call for it; what this device has left unanswered is taken up again.
    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        do throws(PushError) {
            await driver.mayRecover(enrollment.name)
            try await provider.finishUnanswered(enrollment)
            return try await provider.vault.existing(enrollment).enrollment
        } catch {
            throw error.of(provider.id)
        }
    }

    /// OneSpan's SDK deletes a user on the device alone; the server isn't told.
    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        try await provider.erase(enrollment)
    }
}

extension OneSpanEnroller {
    private func activation(_ user: String, _ password: Secret) -> WorkflowIntent.Activation {
        WorkflowIntent.Activation(
            user: user, domain: provider.configuration.domain, password: password,
            host: driver.relay?.host, port: driver.relay?.port ?? 443)
    }

    /// Four round trips. Nothing is on record before the server has proved the password.
    private func activated(
        _ offer: Offer, _ evidence: [Evidence]
    ) async throws(PushError) -> Enrollment {
        guard case .credentials(let user, let password) = offer.invitation else {
            throw PushError(.invalidInvitation, "OneSpan activates by user and password.")
        }
        var run = ActivationRun(state: try await provider.state(of: user))
        if run.state != .idle { try run.take(.startWithValidInputs) }
        var step = try await driver.engine.start(.activate(activation(user, password)))
        try run.take(.startWithValidInputs)
        step = try await chosen(step, offer, evidence, &run)
        while case .send(let command, let flow, let kind) = step {
            do throws(PushError) {
                step = try await driver.carry(
                    (command, flow, kind), of: .activation(user: user),
                    tries: provider.configuration.tries)
            } catch {
                return try await unanswered(error, flow, user, &run)
            }
            guard case .serverError(let error, _) = step else {
                try run.take(.reply)
                continue
            }
            try run.take(.sealedError)
            try await provider.eraseUnconfirmed(user)
            throw error.error
        }
        guard case .finished(.activated(let device), _) = step else {
            throw OneSpanError.command(.invalidState).error
        }
        return try await provider.keep(device)
    }

    /// The password that the user chose; another one where the engine can't use it.
    private func chosen(
        _ first: OrchestrationStep, _ offer: Offer, _ evidence: [Evidence],
        _ run: inout ActivationRun
    ) async throws(PushError) -> OrchestrationStep {
        var evidence = evidence
        var step = first
        var tries = 1
        while true {
            switch step {
            case .authenticate(_, let flow):
                guard let pin = evidence.pin else {
                    _ = await driver.engine.cancel(flow)
                    throw PushError(.verificationFailed, "The activation needs a password.")
                }
                step = try await provider.provide(pin, to: flow)
            case .inputRejected(_, let flow):
                try run.take(.passwordUnusable)
                guard tries < Self.passwordTries else {
                    _ = await driver.engine.cancel(flow)
                    throw PushError(.verificationFailed, "The chosen password can't be used.")
                }
                tries += 1
                evidence = try await provider.ask(
                    VerificationRequest(.join(offer), alternatives: offer.asks), in: flow)
                step = .authenticate(
                    UserAuthenticationRequest(.password, .enrollment), flow)
            default:
                try run.take(.passwordAccepted)
                return step
            }
        }
    }

    /// The server may have taken the last command, whatever came in place of its reply: that
    /// enrollment stays, unless the app itself gave up.
    private func unanswered(
        _ error: PushError, _ flow: FlowID, _ user: String, _ run: inout ActivationRun
    ) async throws(PushError) -> Enrollment {
        if error.code != .cancelled, run.state == .awaiting4,
            let enrollment = try await provider.holder(of: user)
        {
            await driver.mayRecover(enrollment.id.name)
            provider.environment.observer.observe(
                Observation(
                    .refused(error.code), "The last reply of an activation didn't come.",
                    provider: provider.id))
            return enrollment
        }
        _ = await driver.engine.cancel(flow)
        try await provider.eraseUnconfirmed(user)
        switch (error.oneSpan, run.state) {
        case (.noReply, .awaiting1): try run.take(.noReply)
        case (.noReply, .awaiting2), (.noReply, .awaiting3):
            try run.take(.timerEnd)
            throw OneSpanError.activationExpired.error
        default: break
        }
        throw error
    }

    /// The activation stands whatever comes of the registration: the core tells the token later.
    private func registered(
        _ deviceToken: DeviceToken, _ enrollment: Enrollment
    ) async throws(PushError) -> Enrollment {
        do throws(PushError) {
            let identifier = try await provider.identifier(for: deviceToken)
            try await provider.register(identifier, for: enrollment.id)
        } catch {
            provider.environment.observer.observe(
                Observation(
                    .refused(error.code), "A new user's notification identifier wasn't registered.",
                    provider: provider.id))
            return try await provider.vault.existing(enrollment.id).enrollment
        }
        return try await provider.vault.update(enrollment.id) { credential in
            credential.enrollment.deviceToken = deviceToken
            return credential.enrollment
        }
    }
}
