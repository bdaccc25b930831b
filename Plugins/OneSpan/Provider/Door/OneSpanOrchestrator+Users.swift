public import PushCore

/// The workflows that the app starts: activation, notification registration, change password; and
/// the users on this device.
extension OneSpanOrchestrator {
    /// Activates a user on this device: four round trips.
    ///
    /// It returns when the activation is over; what came of it is told to the delegates. The user
    /// chooses a password through the environment's verifier, such as ``OneSpanUserVerifier``.
    ///
    /// - Throws: `PushError` whose `oneSpan` is ``OneSpanError/workflowInProgress`` if another
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
        do throws(OrchestrationError) {
            try OneSpanEnroller(provider: provider).check(
                parameters.userIdentifier, parameters.activationPassword)
            let invitation = Invitation.credentials(
                user: parameters.userIdentifier, password: parameters.activationPassword)
            let offer = try await outside { () async throws(PushError) in
                try authenticator.offers(for: invitation).first { $0.provider == provider.id }
            }
            guard let offer else {
                throw OrchestrationError(.notFound, "The authenticator doesn't have this provider.")
            }
            let enrollment = try await heard(.activation(user: parameters.userIdentifier)) {
                [authenticator] () async throws(PushError) in
                try await authenticator.enroll(offer)
            }
            guard enrollment.state != .pending(.unconfirmed) else {
                throw OrchestrationError(.noReply)
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
        do throws(PushError) {
            return try await provider.identifier(for: deviceToken)
        } catch {
            throw error.of(provider.id)
        }
    }

    /// Tells the server the identifier that notifications reach this device by: one round trip,
    /// right after the activation, and when the identifier has changed.
    ///
    /// It returns when the registration is over. An identifier that the server certainly holds is
    /// a success without traffic.
    ///
    /// - Throws: `PushError`: its `oneSpan` is ``OneSpanError/notActivated`` if the user isn't on this
    ///   device, ``OneSpanError/handlerNotSet`` if the delegate implements neither method that takes
    ///   the command; nothing has happened then. Other errors are told to the delegates.
    public func startNotificationRegistration(
        _ parameters: NotificationRegistrationParameters
    ) async throws(PushError) {
        let id = try await enrollment(of: parameters.orchestrationUser).id
        guard parameters.delegate.takesCommands else { throw OneSpanError.handlerNotSet.error }
        do throws(OrchestrationError) {
            try await register(parameters, id)
            await parameters.delegate.onNotificationRegistrationSuccess(
                parameters.orchestrationUser, parameters.notificationIdentifier)
        } catch {
            await report(error)
        }
    }

    private func register(
        _ parameters: NotificationRegistrationParameters, _ id: Enrollment.ID
    ) async throws(OrchestrationError) {
        let (delegate, provider) = (parameters.delegate, provider)
        // Within the turn, so that nobody else's registration of the user takes this way out.
        try await inTurn(of: id) { () async throws(OrchestrationError) -> Void in
            let run = WorkflowRun.registration(id)
            await provider.carrier.setOutlet(
                { (command, _) throws(PushError) in
                    try await delegate.take(command)
                }, of: run)
            let result = await Result(workflow: { () async throws(OrchestrationError) in
                try await provider.register(parameters.notificationIdentifier, for: id)
            })
            await provider.carrier.setOutlet(nil, of: run)
            _ = try result.get()
        }
    }

    /// Runs a workflow in its enrollment's turn.
    func inTurn<Value: Sendable>(
        of id: Enrollment.ID,
        _ body: @Sendable () async throws(OrchestrationError) -> Value
    ) async throws(OrchestrationError) -> Value {
        let result = try await outside { () async throws(PushError) in
            try await authenticator.turn(of: id) { () async throws(PushError) in
                await Result(workflow: { () async throws(OrchestrationError) in try await body() })
            }
        }
        return try result.get()
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
        do throws(OrchestrationError) {
            // Asked for outside the turn, as users take their time.
            guard let old = try await asked(for: .pin, of: id),
                let new = try await asked(for: .newPIN, of: id)
            else { throw OrchestrationError(.verificationFailed, "A password is missing.") }
            try await inTurn(of: id) { () async throws(OrchestrationError) -> Void in
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

    private func asked(
        for factor: Factor, of id: Enrollment.ID
    ) async throws(OrchestrationError) -> Secret? {
        let request = VerificationRequest(
            .manage(id, "Change password"), alternatives: [[factor]])
        return try await outside { () async throws(PushError) in
            try await provider.environment.verifier.verify(request).pin
        }
    }

    // MARK: Multi-user management

    /// The users on this device, oldest first: `getUsers`.
    public func users() async throws(PushError) -> [OrchestrationUser] {
        let provider = provider
        return try await beside { () async throws(OrchestrationError) in
            var users: [OrchestrationUser] = []
            for enrollment in try await provider.vault.enrollments() {
                guard let kept = try await provider.vault.secret(of: enrollment.id) else {
                    continue
                }
                users.append(OrchestrationUser(kept.user, domain: kept.domain))
            }
            return users
        }
    }

    /// Whether a user is activated on this device, registered or not.
    public func isUserActivated(_ user: OrchestrationUser) async throws(PushError) -> Bool {
        let provider = provider
        let found = try await beside { () async throws(OrchestrationError) in
            try await provider.enrollment(of: user.userIdentifier, in: user.domain)
        }
        return switch found?.state {
        case nil, .pending(.unconfirmed), .needsReenrollment: false
        default: true
        }
    }

    /// What is on record of a user: `getUserInformation`.
    ///
    /// - Throws: `PushError` whose `oneSpan` is ``OneSpanError/notActivated`` if there is none.
    public func userInformation(_ user: OrchestrationUser) async throws(PushError) -> Enrollment {
        try await enrollment(of: user)
    }

    /// Deletes a user on this device; the server isn't told. What runs for them is aborted.
    ///
    /// - Throws: `PushError` whose `oneSpan` is ``OneSpanError/notActivated`` if there is none.
    public func deleteUser(_ user: OrchestrationUser) async throws(PushError) {
        let id = try await enrollment(of: user).id
        if prompt?.id.enrollment == id { prompt?.end(.cancelled) }
        try await authenticator.remove(id)
    }

    private func enrollment(of user: OrchestrationUser) async throws(PushError) -> Enrollment {
        let provider = provider
        return try await beside { () async throws(OrchestrationError) in
            let found = try await provider.enrollment(of: user.userIdentifier, in: user.domain)
            guard let found else { throw OrchestrationError(.notActivated) }
            return found
        }
    }

    /// Runs what doesn't pass the authenticator, which says everywhere else whose an error is.
    private func beside<Value: Sendable>(
        _ body: () async throws(OrchestrationError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await provider.leaving(body)
        } catch {
            throw error.of(provider.id)
        }
    }
}
