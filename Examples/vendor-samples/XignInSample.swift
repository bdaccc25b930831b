// The shapes of the samples in XignIn's documentation of its SDK for iOS ("Push authentication"), written
// anew. What an app on the vendor's SDK changes is marked; nothing else differs.
#if canImport(UIKit)
import Foundation
import PushCore
import PushXignIn
import UIKit
import UserNotifications

extension XignPush {
    // added: the app gives its reader the vendor's name.
    @MainActor static var shared: XignPush {
        XignPush(SampleApp.authenticator, provider: SampleApp.xignIn)
    }
}

@MainActor
final class XignInAppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        do {
            // changed: `await`
            if let message: XignPushMessageResult = try await XignPush.shared.handleMessage(
                userInfo: userInfo)
            {
                switch message {
                case .authentication(let authentication):
                    let shown: XignPushMessageAuthentication = authentication
                    try await show(shown)
                case .cancel(let cancel):
                    let ended: XignPushMessageCancel = cancel
                    UNUserNotificationCenter.current().removeDeliveredNotifications(
                        withIdentifiers: [ended.processId])
                case .incompatible(let incompatible):
                    let newer: XignPushMessageIncompatible = incompatible
                    if !newer.isIgnorable {
                        _ = newer.messageType
                        _ = newer.minSmartDeviceApi
                    }
                }
                return .newData
            } else {
                return .noData
            }
        } catch {
            if let error = error as? XignSdkError {
                switch XignPushHandleMessageErrorCodes.from(error.errorCode) {
                case .identityManagerNotPersonalized: break
                case .invalidSignature: break
                case .unexpectedError: print(error.message)
                }
            }
            return .failed
        }
    }

    private func show(_ message: XignPushMessageAuthentication) async throws {
        let content = UNMutableNotificationContent()
        content.title = message.title ?? "Log in"
        content.body = message.message ?? "Tap to answer"
        content.userInfo["message"] = try JSONEncoder().encode(message)
        let request = UNNotificationRequest(
            identifier: message.processId, content: content, trigger: nil)
        try await UNUserNotificationCenter.current().add(request)
    }
}

/// The vendor's one SDK object. added: the app has it, and its shared instance.
@MainActor
struct XignSdk {
    static let shared = XignSdk()

    var personalizer: Personalizer {
        Personalizer(SampleApp.authenticator, provider: SampleApp.xignIn)
    }
    var authenticator: XignAuthenticator {
        XignAuthenticator(SampleApp.authenticator, provider: SampleApp.xignIn)
    }
}

@MainActor
final class TokenKeeper {
    // changed: `async throws`
    func update(_ idm: String, _ token: String?) async throws {
        // changed: `try await`, labels
        try await XignSdk.shared.personalizer.updatePushToken(
            idmIdentifier: idm, token: token)
    }

    // changed: `async throws`
    func token(of idm: String) async throws -> String? {
        // changed: `await`, the name
        let all = try await XignSdk.shared.personalizer.getIdentityManagers()
        for manager in all where manager.identifier == idm { return manager.pushToken }
        return nil
    }

    func start(_ message: XignPushMessageAuthentication) async throws -> AuthenticateRequest {
        // changed: asynchronous, no request code
        let data = try await XignSdk.shared.authenticator
            .fetchPushAuthenticationInitializationData(message: message)
        return try await XignSdk.shared.authenticator.startAuthentication(data: data)
    }
}
#endif
