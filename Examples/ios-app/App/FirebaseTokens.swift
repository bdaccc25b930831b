#if canImport(FirebaseMessaging)
import FirebaseMessaging
import Foundation
import PushCore
import PushPlatform

/// Firebase's token, for vendors that push by Firebase. It stands beside Apple's.
final class FirebaseTokens: NSObject, MessagingDelegate {
    private let flow: PushFlow

    init(_ flow: PushFlow) {
        self.flow = flow
        super.init()
        Messaging.messaging().delegate = self
    }

    /// Firebase has nothing to send to without Apple's token. An app that has turned its swizzling off
    /// (`FirebaseAppDelegateProxyEnabled` is `NO`) hands it over.
    func register(_ deviceToken: Data) { Messaging.messaging().apnsToken = deviceToken }

    nonisolated func messaging(_ messaging: Messaging, didReceiveRegistrationToken token: String?) {
        guard let token else { return }
        Task { [flow] in try? await flow.register(.fcm(token)) }
    }
}
#endif
