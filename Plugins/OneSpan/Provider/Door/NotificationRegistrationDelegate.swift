public import PushCore

/// What a notification registration tells its app (OneSpan, "Exposed APIs: notification
/// registration").
///
/// OneSpan's guide calls the first method `onNotificationRegistrationComplete`, its API reference
/// `onNotificationRegistrationStepComplete`. Implement one of the two: exactly one is called. A
/// delegate that implements neither is refused before anything has happened.
public protocol NotificationRegistrationDelegate: AnyObject, Sendable {
    /// What ``onNotificationRegistrationStepComplete(_:)`` returns: `Void`, inferred, where the app
    /// implements it.
    associatedtype StepResult: Sendable

    /// What ``onNotificationRegistrationComplete(_:)`` returns: `Void`, inferred, where the app
    /// implements it.
    associatedtype CompleteResult: Sendable

    /// A command must go to the server. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    ///
    /// Without an implementation of your own, ``onNotificationRegistrationComplete(_:)`` is called.
    func onNotificationRegistrationStepComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) -> StepResult

    /// The same under the guide's name.
    func onNotificationRegistrationComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) -> CompleteResult

    /// The server holds the identifier for the user.
    func onNotificationRegistrationSuccess(
        _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
    ) async
}

extension NotificationRegistrationDelegate {
    /// Calls ``onNotificationRegistrationComplete(_:)``.
    public func onNotificationRegistrationStepComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) -> NotImplemented {
        _ = try await onNotificationRegistrationComplete(command)
        return NotImplemented()
    }

    /// Refuses: the app implements neither method.
    public func onNotificationRegistrationComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) -> NotImplemented {
        throw OneSpanError.handlerNotSet.error
    }

    /// Whether the app implements one of the two.
    var takesCommands: Bool {
        StepResult.self != NotImplemented.self || CompleteResult.self != NotImplemented.self
    }

    func take(_ command: OrchestrationCommand) async throws(PushError) {
        _ = try await onNotificationRegistrationStepComplete(command)
    }
}
