#if canImport(UIKit) && !os(watchOS)
// UIKit hands over types of all of Foundation.
public import Foundation
public import PushCore
public import UIKit

/// The signatures of an application delegate, as the vendor documents them. They are built on Apple's
/// systems alone; the methods beneath are in `FRAPushHandler`.
extension FRAPushHandler {
    /// Takes the `userInfo` of a remote notification.
    ///
    /// - Throws: `PushError`, with the codes of ``application(didReceiveRemoteNotification:)``.
    @MainActor
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async throws(PushError) -> PushNotification? {
        try await self.application(didReceiveRemoteNotification: userInfo)
    }

    /// Takes the device token that Apple's push service gave, and tells it to AM.
    ///
    /// - Throws: `PushError`, with the codes of
    ///   ``application(didRegisterForRemoteNotificationsWithDeviceToken:)``.
    @MainActor
    @discardableResult
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await self.application(
            didRegisterForRemoteNotificationsWithDeviceToken: deviceToken)
    }

    /// Takes Apple's word that there is no device token.
    ///
    /// - Throws: `PushError`, with the codes of
    ///   ``application(didFailToRegisterForRemoteNotificationsWithError:)``.
    @MainActor
    @discardableResult
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await self.application(didFailToRegisterForRemoteNotificationsWithError: error)
    }
}
#endif
