#if canImport(UserNotifications) && (os(iOS) || os(macOS) || os(visionOS))
public import PushCore
public import UserNotifications

/// The notification center of Apple's systems, as a board.
///
/// Notifications are delivered at once, and removed whether they are pending or delivered. The app
/// asks the user for permission, and registers ``categories(wording:)`` with its own. To interrupt a
/// focus it needs the capability *Time Sensitive Notifications*; without it the system treats those as
/// any other.
///
/// This file is type-checked for Apple's systems, and runs there alone. It decides nothing: a
/// ``NotificationPolicy`` and the ledger do, and that is tested everywhere.
public struct UserNotificationBoard: NotificationBoard {
    /// Creates a board on the current process's notification center.
    public init() {}

    /// Every notification that is pending or delivered, the app's own included.
    public func posted() async -> [PostedNotification] {
        let center = UNUserNotificationCenter.current()
        // Read within the callbacks: what they are given isn't `Sendable`.
        let pending = await withCheckedContinuation { continuation in
            center.getPendingNotificationRequests { requests in
                continuation.resume(
                    returning: requests.map { PostedNotification($0, isPush: false) })
            }
        }
        let delivered = await withCheckedContinuation { continuation in
            center.getDeliveredNotifications { notifications in
                continuation.resume(returning: notifications.map { PostedNotification($0) })
            }
        }
        return pending + delivered
    }

    /// Shows a notification, in place of one that has the same identifier.
    ///
    /// - Throws: `PushError` with the code `notificationRefused` if the system doesn't take it.
    public func post(_ notification: LocalNotification) async throws(PushError) {
        let request = UNNotificationRequest(
            identifier: notification.identifier,
            content: UNNotificationContent.content(of: notification), trigger: nil)
        let failure: (any Error)? = await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().add(request) { continuation.resume(returning: $0) }
        }
        guard let failure else { return }
        throw PushError(
            .notificationRefused, "The notification center refused it.",
            provider: notification.challenge?.enrollment.provider, underlying: failure)
    }

    /// Takes notifications away, pending or delivered, and returns when they are gone.
    public func remove(_ identifiers: [String]) async {
        let center = UNUserNotificationCenter.current()
        center.removePendingNotificationRequests(withIdentifiers: identifiers)
        center.removeDeliveredNotifications(withIdentifiers: identifiers)
        // Removing returns at once, and an extension that delivers its content then may be ended before.
        // The center takes one call after the other.
        await withCheckedContinuation { continuation in
            center.getDeliveredNotifications { _ in continuation.resume() }
        }
    }
}

extension UserNotificationBoard {
    /// The categories of these notifications, to be registered together with the app's own by
    /// `setNotificationCategories(_:)`, which forgets the others.
    public static func categories(
        wording: any NotificationWording
    ) -> Set<UNNotificationCategory> {
        Set(
            LocalNotification.Category.allCases.map { category in
                UNNotificationCategory(
                    identifier: category.rawValue,
                    actions: category.actions.map { action in
                        UNNotificationAction(
                            identifier: action.rawValue, title: wording.label(of: action),
                            options: options(of: action))
                    },
                    intentIdentifiers: [])
            })
    }

    private static func options(
        of action: LocalNotification.Action
    ) -> UNNotificationActionOptions {
        switch action {
        case .open: [.foreground]
        case .deny: [.destructive]
        }
    }
}

extension PostedNotification {
    /// What the system says of a notification that is delivered, tapped, or about to be shown.
    public init(_ notification: UNNotification) {
        self.init(
            notification.request, isPush: notification.request.trigger is UNPushNotificationTrigger)
    }

    /// What the system says of a notification request; in an extension it is a push.
    public init(_ request: UNNotificationRequest, isPush: Bool) {
        self.init(
            identifier: request.identifier, category: request.content.categoryIdentifier,
            userInfo: request.content.userInfo, isPush: isPush)
    }
}

extension LocalNotification.Action {
    /// What the user did with a notification; `nil` for dismissing it, which is no answer, and for a
    /// button of the app's own.
    public init?(_ response: UNNotificationResponse) {
        if response.actionIdentifier == UNNotificationDefaultActionIdentifier {
            self = .open
        } else {
            self.init(rawValue: response.actionIdentifier)
        }
    }
}

extension UNNotificationContent {
    /// A notification's content in the system's terms.
    static func content(of notification: LocalNotification) -> UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = notification.title
        content.body = notification.body
        content.threadIdentifier = notification.thread
        content.categoryIdentifier = notification.category.rawValue
        content.userInfo = notification.userInfo
        content.sound = notification.playsSound ? .default : nil
        content.interruptionLevel =
            switch notification.interruption {
            case .passive: .passive
            case .active: .active
            case .timeSensitive: .timeSensitive
            }
        return content
    }
}
#endif
