#if os(iOS)
import PushCore
import PushPlatform
import UserNotifications

// snippet: service
/// The principal class of the extension.
nonisolated final class NotificationService: PushNotificationService {
    override class func makeAuthenticator() throws -> PushAuthenticator {
        try appAuthenticator(
            for: .notificationService,
            in: PushEnvironment(
                transport: SystemTransport(),
                store: KeychainStore(accessGroup: AppProcess.accessGroup),
                verifier: NobodyToAsk(), device: Device(name: "My phone")))
    }
}
// end snippet
#endif
