public import PushCore

/// What a notification registration needs (OneSpan, "Exposed APIs: notification registration").
public struct NotificationRegistrationParameters: Sendable {
    /// The activated user; each user of a device needs a registration of their own.
    let orchestrationUser: OrchestrationUser

    /// The OneSpan Notification Identifier.
    let notificationIdentifier: NotificationIdentifier

    let delegate: any NotificationRegistrationDelegate

    /// Creates the parameters.
    ///
    /// - Parameters:
    ///   - orchestrationUser: The activated user; each user of a device needs a registration of their
    ///     own.
    ///   - notificationIdentifier: The OneSpan Notification Identifier.
    ///   - delegate: What carries the command, and hears what came of it.
    public init(
        orchestrationUser: OrchestrationUser, notificationIdentifier: NotificationIdentifier,
        delegate: any NotificationRegistrationDelegate
    ) {
        self.orchestrationUser = orchestrationUser
        self.notificationIdentifier = notificationIdentifier
        self.delegate = delegate
    }
}

/// What a notification registration tells its app (OneSpan, "Exposed APIs: notification
/// registration").
///
/// OneSpan's guide calls the first method `onNotificationRegistrationComplete`, its API reference
/// `onNotificationRegistrationStepComplete`. Implement one of the two: exactly one is called. With
/// neither, nothing is sent, and the error delegate hears ``OneSpanError/handlerNotSet``.
public protocol NotificationRegistrationDelegate: AnyObject, Sendable {
    /// A command must go to the server. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    ///
    /// Without an implementation of your own, ``onNotificationRegistrationComplete(_:)`` is called.
    ///
    /// - Throws: `PushError`: the app's own, if it can't carry the command now, such as `unreachable`.
    func onNotificationRegistrationStepComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError)

    /// The same under the guide's name.
    ///
    /// - Throws: `PushError`, as ``onNotificationRegistrationStepComplete(_:)``.
    func onNotificationRegistrationComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError)

    /// The server holds the identifier for the user.
    func onNotificationRegistrationSuccess(
        _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
    ) async
}

extension NotificationRegistrationDelegate {
    /// Calls ``onNotificationRegistrationComplete(_:)``.
    ///
    /// - Throws: `PushError`: that method's own.
    public func onNotificationRegistrationStepComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) {
        try await onNotificationRegistrationComplete(command)
    }

    /// Refuses: the app implements neither method.
    ///
    /// - Throws: `PushError`: always `unsupported`, with ``OneSpanError/handlerNotSet``.
    public func onNotificationRegistrationComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) {
        throw OneSpanError.handlerNotSet.error
    }
}

extension OneSpanOrchestrator {
    /// The OneSpan Notification Identifier of a device token: the Notification SDK's
    /// `registerNotificationService`.
    ///
    /// - Throws: `PushError`: `unreachable` if the app's ``NotificationIdentifierProvider`` gives none
    ///   within a minute, `cancelled` if the app gave up, or that provider's own.
    public func registerNotificationService(
        _ deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier {
        do throws(PushError) {
            return try await provider.registrations.identifier(for: deviceToken)
        } catch {
            throw error.attributed(to: provider.id)
        }
    }

    /// Tells the server the identifier that notifications reach this device by: one round trip,
    /// right after the activation, and when the identifier has changed.
    ///
    /// It returns when the registration is over. An identifier that the server certainly holds is
    /// a success without traffic.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` (``OneSpanError/notActivated``) if the user isn't on
    ///   this device, `storage` if the store fails; nothing has happened then. The error delegate
    ///   hears of other errors.
    public func startNotificationRegistration(
        _ parameters: NotificationRegistrationParameters
    ) async throws(PushError) {
        let id = try await enrollment(of: parameters.orchestrationUser).id
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
        try await inTurn(of: id) { (account) async throws(OrchestrationError) -> Void in
            let run = WorkflowRun.registration(id)
            await provider.carrier.setOutlet(
                CommandCarrier.Outlet { (command, _) throws(PushError) in
                    try await delegate.onNotificationRegistrationStepComplete(command)
                }, of: run)
            let result = await Result(workflow: { () async throws(OrchestrationError) in
                try await provider.registrations.register(
                    parameters.notificationIdentifier, for: account)
            })
            await provider.carrier.setOutlet(nil, of: run)
            _ = try result.get()
        }
    }
}
