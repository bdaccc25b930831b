// swift-format-ignore-file
// Each line that must be an error says for which targets.
import LocalAuthentication
import Security
import UIKit
import UserNotifications

@MainActor func onMain(_ application: UIApplication) { application.registerForRemoteNotifications() }
func offMain(_ application: UIApplication) { onMain(application) }  // wrong: always
func asked() async throws -> Bool { try await UNUserNotificationCenter.current().requestAuthorization(options: .alert) }
func owner() async throws -> Bool { try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "") }
func query(_ x: [CFString: Any]) -> OSStatus { SecItemDelete(x as CFDictionary) }
func misspelled() -> CFString { kSecAttrNoSuch }  // wrong: always
func opticID() -> LABiometryType { .opticID }  // wrong: ios16
@MainActor final class Delegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult { .noData }
}
