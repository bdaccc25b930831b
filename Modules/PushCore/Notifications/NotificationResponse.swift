/// What the user did with a notification, as the system hands it back. It proves nothing by itself.
///
/// Anybody may have made the notification: another library of the same app, or the sender of a push
/// that the system showed by itself, with any category and any `userInfo`. So a tap may open a
/// challenge, which is looked up first. A denial must go through ``PushAuthenticator/deny(by:_:)``,
/// which checks that this installation posted the notification.
public struct NotificationResponse: Sendable {
    /// The challenge that the notification names.
    public let challenge: Challenge.ID

    /// What the user did.
    public let action: LocalNotification.Action

    /// What it has for a seal, as text.
    let seal: Secret?

    /// Reads what came back.
    ///
    /// It is `nil` if the notification names no challenge, as the app's own notifications don't.
    ///
    /// - Parameters:
    ///   - userInfo: The notification's.
    ///   - action: What the user did; a tap on the notification itself opens it.
    public init?(userInfo: [AnyHashable: Any], action: LocalNotification.Action) {
        guard let challenge = Challenge.ID(notificationUserInfo: userInfo) else { return nil }
        self.challenge = challenge
        self.action = action
        seal = NotificationSeal.shown(in: userInfo)
    }

    /// What the user did with a notification that names a challenge.
    package init?(_ notification: PostedNotification, action: LocalNotification.Action) {
        guard let challenge = notification.challenge else { return nil }
        self.challenge = challenge
        self.action = action
        seal = notification.seal
    }
}

extension PushAuthenticator {
    /// Says no by a notification's button: the challenge needn't have been opened.
    ///
    /// Only a notification that this installation posted can do so: by ``present(_:on:by:)``, or from
    /// ``notificationChange(for:by:)``, in this process or in another over the same store. For any
    /// other, show the user the challenge instead.
    ///
    /// - Parameters:
    ///   - response: What the user did.
    ///   - reason: Why.
    /// - Returns: What the vendor said, as ``resolve(_:with:extras:style:)`` returns it.
    /// - Throws: ``PushError``: `untrusted` if this installation didn't post the notification,
    ///   `invalidArgument` if the user did something else with it, `storage` if the store can't tell.
    ///   Nothing was sent then. Else as ``resolve(_:with:extras:style:)``.
    public func deny(
        by response: NotificationResponse, _ reason: DenyReason = .unexpected
    ) async throws(PushError) -> Outcome {
        let provider = response.challenge.enrollment.provider
        guard response.action == .deny else {
            throw PushError(
                .invalidArgument, "The user's action isn't a denial, but \(response.action).",
                provider: provider)
        }
        guard let shown = response.seal, let seal = try await knownSeal(),
            seal.matches(shown)
        else {
            throw PushError(
                .untrusted, "The notification isn't one that this installation posted.",
                provider: provider)
        }
        return try await deny(response.challenge, reason)
    }
}
