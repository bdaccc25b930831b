// The shapes of the samples in ForgeRock's documentation of its Authenticator module for iOS (Ping,
// "Integrate MFA using push notifications"), written anew. What an app on the vendor's SDK changes is
// marked; nothing else differs.
#if canImport(UIKit)
import PushCore
import PushForgeRock
import UIKit

extension FRAPushHandler {
    // added: the app gives its handler the vendor's name.
    @MainActor static var shared: FRAPushHandler {
        FRAPushHandler(SampleApp.authenticator)
    }
}

@MainActor
final class ForgeRockAppDelegate: UIResponder, UIApplicationDelegate {
    // changed: the asynchronous method of the delegate
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        // changed: `try? await`
        if let notification = try? await FRAPushHandler.shared.application(
            application, didReceiveRemoteNotification: userInfo)
        {
            notification.accept(onSuccess: {}) { error in }
        }
        // changed: a result instead of a call
        return .newData
    }
}

@MainActor
final class PushController: UIViewController {
    let label = UILabel()

    func plain(_ notification: PushNotification) {
        notification.accept(onSuccess: {}, onError: { error in })
    }

    func showing(_ notification: PushNotification) {
        notification.accept(
            onSuccess: { self.label.text = "Accepted" },
            onError: { error in self.label.text = "\(error)" })
        notification.deny(
            onSuccess: { self.label.text = "Denied" }, onError: { self.label.text = "\($0)" })
    }

    func each(_ notification: PushNotification) {
        let succeeded = { self.label.text = "Accepted" }
        let failed = { (error: any Error) in self.label.text = "\(error)" }
        if notification.pushType == .challenge {
            notification.accept(challengeResponse: "34", onSuccess: succeeded, onError: failed)
        } else if notification.pushType == .biometric {
            notification.accept(
                title: "Log in", allowDeviceCredentials: true, onSuccess: succeeded,
                onError: failed)
        } else {
            notification.accept(onSuccess: succeeded, onError: failed)
        }
    }
}
#endif
