public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Receives AM's pushes under the vendor's names.
///
/// The vendor's SDK has one shared handler; here the app makes one for its authenticator.
public struct FRAPushHandler: Sendable {
    private let authenticator: PushAuthenticator
    private let provider: ProviderID

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The instance of this plugin whose pushes it receives.
    public init(_ authenticator: PushAuthenticator, provider: ProviderID = "forgerock") {
        self.authenticator = authenticator
        self.provider = provider
    }

    /// Takes the `userInfo` of a remote notification.
    ///
    /// A push that was received before gives the same notification again, even after the answer.
    ///
    /// - Returns: The notification; `nil` if it isn't one of this vendor.
    /// - Throws: `PushError` if it has this vendor's form, but can't be trusted: `untrusted`,
    ///   `malformed`, `unknownEnrollment`, `unsupported`, or `storage` if the store can't be used.
    ///   Nothing has been stored then.
    public func application(
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async throws(PushError) -> PushNotification? {
        try await notification(from: PushMessage(userInfo: userInfo))
    }

    /// Takes a message that came another way, such as the data of a Firebase message.
    ///
    /// - Returns: The notification; `nil` if it isn't one of this vendor.
    /// - Throws: `PushError`, with the codes of ``application(didReceiveRemoteNotification:)``.
    public func notification(
        from message: PushMessage
    ) async throws(PushError) -> PushNotification? {
        for reception in try await authenticator.receive(message) {
            guard let id = reception.challenge, id.enrollment.provider == provider else { continue }
            return try await notification(id)
        }
        return nil
    }

    /// A notification that was received before.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is none, `over` if it was withdrawn
    ///   before it came, `malformed` or `storage` if its record can't be read.
    public func notification(_ id: Challenge.ID) async throws(PushError) -> PushNotification {
        let context = try ChallengeContext(try await authenticator.announcement(of: id))
        return PushNotification(
            id: id, content: NotificationContent(context.claims), authenticator: authenticator)
    }

    /// Takes the device token that Apple's push service gave, and tells it to AM.
    ///
    /// - Parameters:
    ///   - deviceToken: The token's bytes.
    ///   - isSandbox: Whether it is of the development environment.
    /// - Returns: The enrollments that couldn't be told, and why.
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't a token at all, `storage`
    ///   if it couldn't be remembered.
    @discardableResult
    public func application(
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data, isSandbox: Bool
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await authenticator.deviceTokenChanged(.apns(deviceToken, isSandbox: isSandbox))
    }
}
