public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Receives AM's pushes and device tokens under the vendor's names.
///
/// The vendor's SDK has one handler, `FRAPushHandler.shared`. Here the app makes one for its
/// authenticator, and may give it that name by an extension of its own.
public struct FRAPushHandler: Sendable {
    let authenticator: PushAuthenticator
    let provider: ProviderID
    let isSandbox: Bool

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The instance of this plugin whose pushes it receives.
    ///   - isSandbox: Whether Apple's tokens are of the development environment.
    public init(
        _ authenticator: PushAuthenticator, provider: ProviderID = "forgerock",
        isSandbox: Bool = false
    ) {
        self.authenticator = authenticator
        self.provider = provider
        self.isSandbox = isSandbox
    }

    // MARK: Pushes

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
        // AM sends nothing that JSON can't hold.
        guard let message = try? PushMessage(userInfo: userInfo) else { return nil }
        return try await notification(from: message)
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
        let context = try await authenticator.announcement(of: id).note
        return PushNotification(
            id: id, messageId: context.messageID, content: NotificationContent(context.claims),
            authenticator: authenticator)
    }
}

// MARK: Device tokens

extension FRAPushHandler {
    /// Takes the device token that Apple's push service gave, and tells it to AM.
    ///
    /// - Parameter deviceToken: The token's bytes.
    /// - Returns: The enrollments that couldn't be told, and why.
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't a token at all, `storage`
    ///   if it couldn't be remembered.
    @discardableResult
    public func application(
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await application(
            didRegisterForRemoteNotificationsWithDeviceToken: deviceToken, isSandbox: isSandbox)
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

    /// Takes Apple's word that there is no device token. A token that AM has stays, as it may still be
    /// valid; nothing is sent.
    ///
    /// - Parameter error: What Apple's system says.
    /// - Returns: The enrollments for which AM has no token, so that no push reaches them; each with the
    ///   code `missingDeviceToken`, caused by `error`.
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    @discardableResult
    public func application(
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        var unreached: [Enrollment.ID: PushError] = [:]
        for enrollment in try await enrollments() where enrollment.deviceToken == nil {
            unreached[enrollment.id] = PushError(
                .missingDeviceToken, "AM has no token of this device.", provider: provider,
                underlying: error)
        }
        return unreached
    }

    /// The token by which AM reaches this device, as AM has acknowledged it last; `nil` if it has none.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    public var deviceToken: String? {
        get async throws(PushError) {
            for enrollment in try await enrollments().reversed() {
                switch enrollment.deviceToken {
                case .apns(let hex, _)?: return hex
                case .fcm(let text)?: return text
                case nil: continue
                }
            }
            return nil
        }
    }

    /// Gives one mechanism a device token of its own.
    ///
    /// - Parameters:
    ///   - mechanism: The mechanism.
    ///   - deviceToken: The token in hexadecimal digits.
    /// - Throws: `PushError`, with the codes of `PushAuthenticator.deviceTokenChanged(_:for:)`.
    public func updateDeviceToken(
        mechanism: PushMechanism, deviceToken: String
    ) async throws(PushError) {
        try await authenticator.deviceTokenChanged(
            .apns(hex: deviceToken, isSandbox: isSandbox), for: mechanism.enrollment.id)
    }

    /// Tells AM a device token for all mechanisms.
    ///
    /// - Parameter deviceToken: The token in hexadecimal digits.
    /// - Returns: The enrollments that couldn't be told, and why.
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't a token at all, `storage`
    ///   if it couldn't be remembered.
    @discardableResult
    public func updateDeviceToken(
        deviceToken: String
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await authenticator.deviceTokenChanged(.apns(hex: deviceToken, isSandbox: isSandbox))
    }

    /// Forgets Apple's token on this device. AM has no call that takes one away.
    ///
    /// - Throws: `PushError` with the code `storage`.
    public func clearDeviceToken() async throws(PushError) {
        try await authenticator.deviceTokenRemoved(of: .apns)
    }

    private func enrollments() async throws(PushError) -> [Enrollment] {
        try await authenticator.enrollments().filter {
            $0.id.provider == provider && $0.takesDeviceToken
        }
    }
}

// MARK: Callbacks

/// The same methods with closures, as the vendor documents them.
extension FRAPushHandler {
    /// Gives one mechanism a device token of its own.
    @preconcurrency @MainActor
    public func updateDeviceToken(
        mechanism: PushMechanism, deviceToken: String,
        onSuccess: @escaping PushNotification.SuccessCallback,
        onFailure: @escaping PushNotification.ErrorCallback
    ) {
        Task { @MainActor in
            do throws(PushError) {
                try await updateDeviceToken(mechanism: mechanism, deviceToken: deviceToken)
                onSuccess()
            } catch {
                onFailure(error)
            }
        }
    }

    /// Tells AM a device token for all mechanisms. The first that couldn't be told is the failure.
    @preconcurrency @MainActor
    public func updateDeviceToken(
        deviceToken: String, onSuccess: @escaping PushNotification.SuccessCallback,
        onFailure: @escaping PushNotification.ErrorCallback
    ) {
        Task { @MainActor in
            do throws(PushError) {
                if let error = try await updateDeviceToken(deviceToken: deviceToken).values.first {
                    throw error
                }
                onSuccess()
            } catch {
                onFailure(error)
            }
        }
    }
}
