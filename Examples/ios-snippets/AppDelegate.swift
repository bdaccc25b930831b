// Not compiled on Linux, where the project's checks run: UIKit is Apple's.
#if os(iOS)
import PushCore
import PushPlatform
import UIKit
import UserNotifications

// snippet: delegate
@MainActor
final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let board = UserNotificationBoard()
    private let policy = NotificationPolicy()
    private var flow: PushFlow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        center.setNotificationCategories(
            UserNotificationBoard.categories(wording: policy.wording))
        do throws(PushError) {
            let store = KeychainStore(accessGroup: "TEAMID.com.example.app.push")
            let flow = PushFlow(
                try makeAuthenticator(for: .app, store: store, verifier: DeviceOwner()),
                policy: policy)
            self.flow = flow
            Task { [board] in await flow.present(on: board) }
            Task { try? await flow.becameActive() }
        } catch {
            // Two plugins of one name: found by the first run.
            assertionFailure(error.reason)
        }
        // APNs gives a token without the user's permission, and may give another at any start.
        application.registerForRemoteNotifications()
        return true
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        Task { [flow] in try? await flow?.becameActive() }
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        #if DEBUG
        let isSandbox = true
        #else
        let isSandbox = false
        #endif
        Task { [flow] in
            try? await flow?.registered(Array(deviceToken), isSandbox: isSandbox)
        }
    }

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        do {
            let push = try PushMessage(userInfo: userInfo)
            return try await flow?.received(push) == true ? .newData : .noData
        } catch {
            return .failed
        }
    }
}
// end snippet

// snippet: tap
extension AppDelegate: UNUserNotificationCenterDelegate {
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        // The system takes the handler's call from any thread, and it is called once.
        nonisolated(unsafe) let done = completionHandler
        guard let response = UserNotificationBoard.response(response) else { return done() }
        Task { @MainActor in
            await self.take(response)
            // Not before: the system may stop an app in the background that is done.
            done()
        }
    }

    private func take(_ response: NotificationResponse) async {
        if response.action == .deny, (try? await flow?.denied(response)) == true { return }
        show(response.challenge)
    }

    /// The app's own screen: it opens the challenge by its ID, and answers as the user says.
    private func show(_ challenge: Challenge.ID) {}
}
// end snippet

// snippet: permission
/// Asks once, at a moment when the user sees why: such as after the first enrollment.
func askForPermission() async throws -> Bool {
    try await UNUserNotificationCenter.current()
        .requestAuthorization(options: [.alert, .sound, .badge])
}
// end snippet
#endif
