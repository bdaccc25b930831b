public import PushCore

/// What the user did with a notification, as the system reports it. It proves nothing by itself.
///
/// Anybody may have made the notification, with any category and any `userInfo`: another library of
/// the same app, or the sender of a push that the system showed by itself. A tap may open a
/// challenge, which is looked up first. Deny only by `PushAuthenticator.deny(by:_:)`, which
/// checks that this installation posted the notification.
public struct NotificationResponse: Sendable {
    /// The challenge that the notification names.
    public let challenge: Challenge.ID

    /// What the user did.
    public let action: LocalNotification.Action

    /// What it has for a seal, as text.
    let seal: Secret?

    /// Reads a response.
    ///
    /// It is `nil` if the notification names no challenge, as with the app's own notifications.
    ///
    /// - Parameters:
    ///   - userInfo: The notification's.
    ///   - action: What the user did; a tap on the notification itself is
    ///     ``LocalNotification/Action/open``.
    public init?(userInfo: [AnyHashable: Any], action: LocalNotification.Action) {
        guard let challenge = Challenge.ID(notificationUserInfo: userInfo) else { return nil }
        self.challenge = challenge
        self.action = action
        seal = NotificationSeal.shown(in: userInfo)
    }

    /// What the user did with a notification that names a challenge.
    init?(_ notification: PostedNotification, action: LocalNotification.Action) {
        guard let challenge = notification.challenge else { return nil }
        self.challenge = challenge
        self.action = action
        seal = notification.seal
    }
}

extension PushAuthenticator {
    /// Denies a challenge, opened or not, by a notification's button.
    ///
    /// The notification must be this installation's: posted by `present(_:on:by:)`, or from
    /// `notificationChange(for:by:)`, in this process or in another over the same store. For any
    /// other, show the user the challenge instead.
    ///
    /// - Parameters:
    ///   - response: What the user did.
    ///   - reason: Why.
    /// - Returns: What the vendor said, as `resolve(_:with:extras:style:)` returns it.
    /// - Throws: `PushError`: `untrusted` if this installation didn't post the notification,
    ///   `invalidArgument` if the action isn't a denial, `storage` if the store can't tell. Nothing
    ///   was sent then. Else as `resolve(_:with:extras:style:)`.
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
