public import PushCore

/// The workflows that the app starts: activation, notification registration, change password; and
/// the users on this device.
extension OneSpanOrchestrator {
    /// Activates a user on this device: four round trips.
    ///
    /// It returns when the activation is over; what came of it is told to the delegates. The user
    /// chooses a password through the environment's verifier, such as ``OneSpanUserVerifier``.
    ///
    /// - Throws: `PushError` with ``OneSpanError/workflowInProgress`` beneath it if another
    ///   workflow runs with the user; nothing is started then.
    public func startActivation(
        _ parameters: OnlineActivationParameters
    ) async throws(PushError) {
        let delegate = parameters.delegate
        try await alone(.activation(user: parameters.userIdentifier)) {
            (command, _) throws(PushError) in
            await delegate.onActivationStepComplete(command)
        } _: {
            await activate(parameters)
        }
    }

    private func activate(_ parameters: OnlineActivationParameters) async {
        let delegate = parameters.delegate
        do throws(PushError) {
            let invitation = Invitation.credentials(
                user: parameters.userIdentifier, password: parameters.activationPassword)
            let offers = try authenticator.offers(for: invitation)
            guard let offer = offers.first(where: { $0.provider == provider.id }) else {
                throw PushError(.notFound, "The authenticator doesn't have this provider.")
            }
            let enrollment = try await authenticator.enroll(offer)
            guard enrollment.state != .pending(.unconfirmed) else {
                throw OneSpanError.noReply.error
            }
            await delegate.onActivationSuccess()
        } catch {
            switch (error.code, error.oneSpan) {
            case (_, .input(let problem)): await delegate.onActivationInputError(problem)
            case (.cancelled, _): await delegate.onActivationAborted()
            default: await report(error)
            }
        }
    }

    /// The OneSpan Notification Identifier of a device token: the Notification SDK's
    /// `registerNotificationService`.
    public func registerNotificationService(
        _ deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier {
        try await provider.identifier(for: deviceToken)
    }

    /// Tells the server the identifier that notifications reach this device by: one round trip,
    /// right after the activation, and when the identifier has changed.
    ///
    /// It returns when the registration is over. An identifier that the server certainly holds is
    /// a success without traffic.
    ///
    /// - Throws: `PushError`: ``OneSpanError/notActivated`` beneath it if the user isn't on this
    ///   device, ``OneSpanError/handlerNotSet`` if the delegate implements neither method that takes
    ///   the command; nothing has happened then. Other errors are told to the delegates.
    public func startNotificationRegistration(
        _ parameters: NotificationRegistrationParameters
    ) async throws(PushError) {
        let id = try await enrollment(of: parameters.orchestrationUser).id
        guard parameters.delegate.takesCommands else { throw OneSpanError.handlerNotSet.error }
        var failure: PushError?
        let (ends, end) = AsyncStream.makeStream(of: PushError?.self)
        await inLine { [self] in
            end.yield(await register(parameters, id))
            end.finish()
        }
        for await found in ends { failure = found }
        guard let failure else {
            return await parameters.delegate.onNotificationRegistrationSuccess(
                parameters.orchestrationUser, parameters.notificationIdentifier)
        }
        await report(failure)
    }

    private func register(
        _ parameters: NotificationRegistrationParameters, _ id: Enrollment.ID
    ) async -> PushError? {
        let delegate = parameters.delegate
        let provider = provider
        do throws(PushError) {
            // Within the turn, so that nobody else's registration of the user takes this way out.
            try await authenticator.turn(of: id) { () async throws(PushError) -> Void in
                let run = FlowRun.registration(id)
                await provider.driver.setOutlet(
                    { (command, _) throws(PushError) in
                        try await delegate.take(command)
                    }, of: run)
                let result = await Result { () async throws(PushError) in
                    try await provider.register(parameters.notificationIdentifier, for: id)
                }
                await provider.driver.setOutlet(nil, of: run)
                _ = try result.get()
            }
            return nil
        } catch {
            return error
        }
    }

    /// Replaces a user's password: one round trip. Only the server can tell whether the old one is
    /// right.
    ///
    /// It returns when the change is over.
    ///
    /// - Throws: `PushError`, as ``startActivation(_:)`` and ``startNotificationRegistration(_:)``.
    public func startChangePassword(
        _ parameters: ChangePasswordParameters
    ) async throws(PushError) {
        let id = try await enrollment(of: parameters.orchestrationUser).id
        let delegate = parameters.delegate
        try await alone(.passwordChange(id)) { (command, _) throws(PushError) in
            await delegate.onChangePasswordStepComplete(command)
        } _: {
            await change(id, delegate)
        }
    }

    private func change(_ id: Enrollment.ID, _ delegate: any ChangePasswordDelegate) async {
        let provider = provider
        do throws(PushError) {
            // Asked for outside the turn, as users take their time.
            let verifier = provider.environment.verifier
            let purpose = VerificationRequest.Purpose.manage(id, "Change password")
            let old = try await verifier.verify(
                VerificationRequest(purpose, alternatives: [[.pin]])
            ).pin
            let new = try await verifier.verify(
                VerificationRequest(purpose, alternatives: [[.newPIN]])
            ).pin
            guard let old, let new else {
                throw PushError(.verificationFailed, "A password is missing.")
            }
            try await authenticator.turn(of: id) { () async throws(PushError) -> Void in
                try await provider.changePassword(of: id, from: old, to: new)
            }
            await delegate.onChangePasswordSuccess()
        } catch {
            switch (error.code, error.oneSpan) {
            case (_, .passwordRejected(let left)) where error.serverError == nil:
                await delegate.onChangePasswordPasswordError(attemptsLeft: left)
            case (.cancelled, _): await delegate.onChangePasswordAborted()
            case (.verificationFailed, _): await delegate.onChangePasswordInputError()
            default: await report(error)
            }
        }
    }

    // MARK: Multi-user management

    /// The users on this device, oldest first: `getUsers`.
    public func users() async throws(PushError) -> [OrchestrationUser] {
        var users: [OrchestrationUser] = []
        for enrollment in try await provider.vault.enrollments() {
            guard let sealed = try await provider.vault.secret(of: enrollment.id) else { continue }
            let kept = try OneSpanCredential(sealed)
            users.append(OrchestrationUser(kept.user, domain: kept.domain))
        }
        return users
    }

    /// Whether a user is activated on this device, registered or not.
    public func isUserActivated(_ user: OrchestrationUser) async throws(PushError) -> Bool {
        switch try await provider.enrollment(of: user.userIdentifier, in: user.domain)?.state {
        case nil, .pending(.unconfirmed), .needsReenrollment: false
        default: true
        }
    }

    /// What is on record of a user: `getUserInformation`.
    ///
    /// - Throws: `PushError` with ``OneSpanError/notActivated`` beneath it if there is none.
    public func userInformation(_ user: OrchestrationUser) async throws(PushError) -> Enrollment {
        try await enrollment(of: user)
    }

    /// Deletes a user on this device; the server isn't told. What runs for them is aborted.
    ///
    /// - Throws: `PushError` with ``OneSpanError/notActivated`` beneath it if there is none.
    public func deleteUser(_ user: OrchestrationUser) async throws(PushError) {
        let id = try await enrollment(of: user).id
        if prompt?.id.enrollment == id { prompt?.end(.cancelled) }
        try await authenticator.remove(id)
    }

    private func enrollment(of user: OrchestrationUser) async throws(PushError) -> Enrollment {
        guard
            let found = try await provider.enrollment(of: user.userIdentifier, in: user.domain)
        else {
            throw OneSpanError.notActivated.error.of(provider.id)
        }
        return found
    }
}
