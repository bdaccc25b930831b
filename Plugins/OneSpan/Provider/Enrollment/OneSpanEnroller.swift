import PushCore

struct OneSpanEnroller: Enroller {
    /// How often a user may choose another password when one can't be used.
    private static let passwordTries = 3

    /// How many commands an activation takes. The server may have accepted the last one, whatever
    /// comes in place of its reply.
    private static let commands = 4

    let carrier: CommandCarrier
    let users: UserRecords
    let workflows: ResumableWorkflows
    let registrations: NotificationRegistrations
    let environment: PushEnvironment
    let hasBiometry: Bool

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard case .credentials(let user, let password) = invitation else { return nil }
        do throws(OrchestrationError) {
            try check(user, password)
        } catch {
            throw error.pushError
        }
        let asks: [Factor] = hasBiometry ? [.newPIN, .newBiometry] : [.newPIN]
        return Invitation.Offer(
            provider: users.provider, invitation: invitation, issuer: users.domain, account: user,
            host: carrier.relay?.endpoint?.hostWithPort, asks: [asks])
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard case .credentials(let user, let password) = offer.invitation else {
            throw PushError(.invalidInvitation, "OneSpan activates by user and password.")
        }
        return try await translatingErrors { () async throws(OrchestrationError) -> Enrollment in
            let account: WorkflowAccount
            do throws(OrchestrationError) {
                account = try await activate(user, password, offer, evidence)
            } catch {
                await carrier.say(.failed(error), in: .activation(user: user))
                throw error
            }
            guard let deviceToken, account.enrollment.state == .pending(.deviceToken) else {
                return account.enrollment
            }
            return try await register(deviceToken, account)
        }
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        guard let deviceToken else {
            throw PushError(
                .unsupported, "OneSpan has no command that takes an identifier away.")
        }
        let identifier = try await registrations.identifier(for: deviceToken)
        try await translatingErrors { () async throws(OrchestrationError) -> Void in
            try await registrations.register(identifier, for: WorkflowAccount(account))
        }
    }

    /// OneSpan has no call for it; what this device has left unanswered is taken up again.
    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        try await translatingErrors { () async throws(OrchestrationError) -> Enrollment in
            await workflows.recovery.forget(account.id.name)
            return try await workflows.settled(WorkflowAccount(account)).enrollment
        }
    }

    /// OneSpan's SDK deletes a user on the device alone; the server isn't told.
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await translatingErrors { () async throws(OrchestrationError) in
            try await users.erase(account.id)
        }
    }

    func forget(_ enrollment: Enrollment.ID) async throws(PushError) {
        try await translatingErrors { () async throws(OrchestrationError) in
            try await users.erase(enrollment)
        }
    }
}

extension OneSpanEnroller {
    /// Finds what is wrong with the inputs of an activation; nothing is sent.
    func check(_ user: String, _ password: Secret) throws(OrchestrationError) {
        guard !user.isEmpty else { throw OrchestrationError(.input(.userIDNullOrEmpty)) }
        guard password.count > 0 else {
            throw OrchestrationError(.input(.activationPasswordNullOrEmpty))
        }
        try carrier.engine.check(activation(user, password))
    }

    private func activation(_ user: String, _ password: Secret) -> WorkflowIntent.Activation {
        var activation = WorkflowIntent.Activation(
            user: user, domain: users.domain, password: password)
        if let endpoint = carrier.relay?.endpoint {
            activation.host = endpoint.host
            activation.port = endpoint.port
        }
        return activation
    }

    /// Four round trips. Nothing is on record before the server has proved the password.
    private func activate(
        _ user: String, _ password: Secret, _ offer: Invitation.Offer, _ evidence: [Evidence]
    ) async throws(OrchestrationError) -> WorkflowAccount {
        try await users.checkIsNew(user)
        // The password is spent before the engine has anything to keep.
        try await outside { () async throws(PushError) in
            try await users.accounts.core.keepingRoom {}
        }
        var step = try await carrier.engine.start(.activate(activation(user, password)))
        step = try await choosePassword(step, offer, evidence)
        var sent = 0
        while case .send(let command, let flow, let kind) = step {
            sent += 1
            do throws(OrchestrationError) {
                // More commands than an activation has, and it would never end.
                guard sent <= Self.commands else {
                    throw OrchestrationError(OneSpanError.unexpectedCommand)
                }
                step = try await carrier.carry(
                    (command, flow, kind), of: .activation(user: user), tries: carrier.tries)
            } catch {
                return try await keepIfSent(error, flow, user, sent)
            }
        }
        switch step {
        case .finished(.activated(let deviceID, let user, let domain), let flow):
            do throws(OrchestrationError) {
                return try await users.keep(deviceID, of: user, in: domain)
            } catch {
                let error = OrchestrationError(
                    PushError(
                        error.code,
                        "\(error.pushError.reason) The server has activated this device: have it "
                            + "removed there, and ask for a new activation password.",
                        underlying: error.pushError))
                return try await keepIfSent(error, flow, user, sent)
            }
        case .serverError(let error, _):
            try await users.eraseUnconfirmed(user)
            throw OrchestrationError(error)
        default: throw OrchestrationError(OneSpanError.invalidState)
        }
    }

    /// The password that the user chose; another one where the engine can't use it.
    private func choosePassword(
        _ first: OrchestrationStep, _ offer: Invitation.Offer, _ evidence: [Evidence]
    ) async throws(OrchestrationError) -> OrchestrationStep {
        var evidence = evidence
        var step = first
        var tries = 1
        while true {
            switch step {
            case .authenticate(_, let flow, _):
                guard let pin = evidence.pin else {
                    _ = await carrier.engine.cancel(flow)
                    throw OrchestrationError(
                        .verificationFailed, "The activation needs a password.")
                }
                step = try await carrier.engine.provide(password: pin, orEnd: flow)
            case .inputRejected(_, let flow, _):
                guard tries < Self.passwordTries else {
                    _ = await carrier.engine.cancel(flow)
                    throw OrchestrationError(
                        .verificationFailed, "The chosen password can't be used.")
                }
                tries += 1
                evidence = try await ask(
                    VerificationRequest(.join(offer), alternatives: offer.asks), in: flow)
                step = .authenticate(.password, flow, isEnrollment: true)
            default: return step
            }
        }
    }

    /// Asks the user midway; a flow that the user gives up is over.
    private func ask(
        _ request: VerificationRequest, in flow: FlowID
    ) async throws(OrchestrationError) -> [Evidence] {
        do throws(OrchestrationError) {
            return try await outside { () async throws(PushError) in
                try await environment.verifier.verify(request)
            }
        } catch {
            _ = await carrier.engine.cancel(flow)
            throw error
        }
    }

    /// The server may have taken the last command, whatever came in place of its reply: that
    /// enrollment stays, unless the app itself gave up.
    private func keepIfSent(
        _ error: OrchestrationError, _ flow: FlowID, _ user: String, _ sent: Int
    ) async throws(OrchestrationError) -> WorkflowAccount {
        if error.code != .cancelled, sent == Self.commands,
            let found = try await users.holder(of: user)?.id,
            let account = try await users.accounts.account(found)
        {
            await workflows.recovery.forget(found.name)
            environment.observer.observe(
                PushObservation(
                    .refused(error.code), "The last reply of an activation isn't on record.",
                    provider: users.provider))
            return account
        }
        _ = await carrier.engine.cancel(flow)
        try await users.eraseUnconfirmed(user)
        // From the second command on it is the time that the server gave.
        if error.oneSpan == .noReply, 2...3 ~= sent {
            // Our simulator's number for it, as OneSpan documents the ranges alone.
            throw OrchestrationError(.provisioning(-1202, attemptsLeft: nil))
        }
        throw error
    }

    /// The activation stands whatever comes of the registration: the core tells the token later.
    private func register(
        _ deviceToken: DeviceToken, _ account: WorkflowAccount
    ) async throws(OrchestrationError) -> Enrollment {
        do throws(OrchestrationError) {
            let identifier = try await outside { () async throws(PushError) in
                try await registrations.identifier(for: deviceToken)
            }
            try await registrations.register(identifier, for: account)
        } catch {
            environment.observer.observe(
                PushObservation(
                    .refused(error.code), "A new user's notification identifier wasn't registered.",
                    provider: users.provider))
            return try await users.accounts.existing(account.id).enrollment
        }
        return try await account.change { (_: inout OneSpanCredential, enrollment) in
            enrollment.deviceToken = deviceToken
            return enrollment
        }
    }
}
