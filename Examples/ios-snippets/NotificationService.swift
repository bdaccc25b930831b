// Not compiled on Linux, where the project's checks run: UserNotifications is Apple's.
#if os(iOS)
import PushCore
import PushPlatform
import UserNotifications

// snippet: service
/// The principal class of the extension.
final class NotificationService: UNNotificationServiceExtension {
    private var work: Task<Void, Never>?

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        // The system takes the handler's call from any thread, and it is called once.
        nonisolated(unsafe) let deliver = contentHandler
        nonisolated(unsafe) let original = request.content
        let push = Result { try PushMessage(userInfo: request.content.userInfo) }
        work = Task {
            do {
                let store = KeychainStore(accessGroup: "TEAMID.com.example.app.push")
                let flow = PushFlow(
                    try makeAuthenticator(
                        for: .notificationService, store: store, verifier: NobodyThere()),
                    policy: NotificationPolicy())
                let notification = try await flow.notification(for: push.get())
                deliver(notification.map(Self.content) ?? original)
            } catch {
                // What isn't verified isn't shown as if it were: the words are the app's.
                deliver(Self.unverified)
            }
        }
    }

    /// The system's time is nearly over: what is being awaited ends, and the words above are shown.
    override func serviceExtensionTimeWillExpire() {
        work?.cancel()
    }

    private static func content(_ notification: LocalNotification) -> UNNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = notification.title
        content.body = notification.body
        content.threadIdentifier = notification.thread
        content.categoryIdentifier = notification.category.rawValue
        content.userInfo = notification.userInfo
        content.sound = notification.playsSound ? .default : nil
        return content
    }

    private static var unverified: UNNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = "Open the app"
        content.body = "It looks whether something waits for you."
        return content
    }
}
// end snippet

// snippet: tidy
/// Takes away what the extension showed and is over. The system gave those notifications their
/// identifiers, so the board doesn't find them: the app does, by the challenge in each.
func removeWhatIsOver(_ flow: PushFlow) async {
    let center = UNUserNotificationCenter.current()
    let shown = await withCheckedContinuation { continuation in
        center.getDeliveredNotifications { notifications in
            continuation.resume(
                returning: notifications.compactMap { notification in
                    Challenge.ID(notificationUserInfo: notification.request.content.userInfo)
                        .map { (identifier: notification.request.identifier, challenge: $0) }
                })
        }
    }
    for (identifier, challenge) in shown where (try? await flow.isOver(challenge)) == true {
        center.removeDeliveredNotifications(withIdentifiers: [identifier])
    }
}
// end snippet
#endif
