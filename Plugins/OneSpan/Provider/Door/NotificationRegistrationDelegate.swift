public import PushCore

/// What a notification registration tells its app (OneSpan, "Exposed APIs: notification
/// registration").
///
/// OneSpan's guide calls the first method `onNotificationRegistrationComplete`, its API reference
/// `onNotificationRegistrationStepComplete`. Implement one of the two: exactly one is called.
public protocol NotificationRegistrationDelegate: AnyObject, Sendable {
    /// A command must go to the server. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    ///
    /// Without an implementation of your own, ``onNotificationRegistrationComplete(_:)`` is called.
    func onNotificationRegistrationStepComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError)

    /// The same under the guide's name.
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
    public func onNotificationRegistrationStepComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) {
        try await onNotificationRegistrationComplete(command)
    }

    /// Refuses to start: the app implements neither method.
    public func onNotificationRegistrationComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) {
        throw OneSpanError.handlerNotSet.error
    }
}
