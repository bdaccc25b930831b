/// What the methods return that a ``NotificationRegistrationDelegate`` doesn't implement.
public struct NotImplemented: Sendable {
    init() {}
}
