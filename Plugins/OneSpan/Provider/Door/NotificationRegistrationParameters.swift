/// What a notification registration needs (OneSpan, "Exposed APIs: notification registration").
public struct NotificationRegistrationParameters: Sendable {
    /// The activated user; each user of a device needs a registration of their own.
    public let orchestrationUser: OrchestrationUser

    /// The OneSpan Notification Identifier.
    public let notificationIdentifier: NotificationIdentifier

    let delegate: any NotificationRegistrationDelegate

    /// Creates the parameters.
    public init(
        orchestrationUser: OrchestrationUser, notificationIdentifier: NotificationIdentifier,
        delegate: any NotificationRegistrationDelegate
    ) {
        self.orchestrationUser = orchestrationUser
        self.notificationIdentifier = notificationIdentifier
        self.delegate = delegate
    }
}
