#if os(iOS)
import PushCore
import PushPlatform
import UIKit
import UserNotifications

// snippet: delegate
final class AppDelegate: UIResponder, UIApplicationDelegate {
    let model = AppModel()

    private lazy var adapter = PushAppAdapter(model.flow) { [model] result in model.show(result) }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        adapter.start(application)
        SampleApp.askForRefresh()
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        adapter.register(deviceToken)
    }

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        // `nil` is a push of the app's own.
        await adapter.receive(userInfo) ?? .noData
    }
}
// end snippet

/// Asks once, at a moment when the user sees why: such as after the first enrollment.
func askForPermission() async throws -> Bool {
    try await UNUserNotificationCenter.current()
        .requestAuthorization(options: [.alert, .sound, .badge])
}
#endif
