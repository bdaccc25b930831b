/// Where this device shows notifications: the system's notification center, or an app's own list.
///
/// It does as it is told; what is shown, replaced and removed is decided by the core.
public protocol NotificationBoard: Sendable {
    /// Every notification that is pending or delivered, the app's own included.
    func posted() async -> [PostedNotification]

    /// Shows a notification, in place of one that has the same identifier.
    ///
    /// - Throws: ``PushError`` with the code `notificationRefused` if the system doesn't take it.
    func post(_ notification: LocalNotification) async throws(PushError)

    /// Takes notifications away, pending or delivered; those that aren't there are none to it.
    func remove(_ identifiers: [String]) async
}
