#if canImport(UserNotifications) && (os(iOS) || os(macOS) || os(visionOS))
public import PushCore
public import UserNotifications

/// The principal class of a notification service extension: subclass it, and make the extension's
/// authenticator.
///
/// This file is type-checked for Apple's systems, and runs there alone. It decides nothing: what is
/// shown, and when, is ``NotificationServiceFlow``'s, and tested everywhere.
open class PushNotificationService: UNNotificationServiceExtension {
    private var flow: NotificationServiceFlow?

    /// Makes the extension's authenticator, over the store that it shares with the app. Its verifier can
    /// be ``NobodyToAsk``: an extension shows, and answers nothing.
    open class func makeAuthenticator() throws -> PushAuthenticator {
        throw PushError(.invalidArgument, "The extension makes no authenticator.")
    }

    /// How challenges become notifications; the same as the app's.
    open class var policy: NotificationPolicy { NotificationPolicy() }

    /// Reads the push, and shows what was verified.
    open override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        // The system takes the handler's call from any thread, and it is called once.
        nonisolated(unsafe) let (deliver, original) = (contentHandler, request.content)
        let flow = NotificationServiceFlow(on: UserNotificationBoard(), by: Self.policy) {
            content in
            switch content {
            case .original: deliver(original)
            case .replaced(let notification):
                deliver(UNNotificationContent.content(of: notification))
            case .unread(let notification):
                let content = UNNotificationContent.content(of: notification)
                content.userInfo = original.userInfo
                deliver(content)
            }
        }
        self.flow = flow
        let make = { @Sendable [type = Self.self] in try type.makeAuthenticator() }
        flow.receive(PostedNotification(request, isPush: true), with: make)
    }

    /// The system's time is nearly over.
    open override func serviceExtensionTimeWillExpire() { flow?.timeWillExpire() }
}
#endif
