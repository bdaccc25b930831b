public import PushCore

/// A notification on this device, pending, delivered or tapped; perhaps the app's own.
public struct PostedNotification: Sendable {
    /// Its identifier. For a push, the system chooses it.
    public let identifier: String

    /// Its category; `nil` for the app's own notification.
    public let category: LocalNotification.Category?

    /// Whether a push service brought it. Unless such a notification has this installation's seal,
    /// its sender chose its category and its `userInfo`.
    public let isPush: Bool

    /// The challenge that it names, if any, which proves nothing by itself.
    public let challenge: Challenge.ID?

    /// The push in it: its own `userInfo`, or the push that it keeps because it couldn't be read
    /// yet.
    public let message: PushMessage?

    /// What it has for a seal, as text.
    let seal: Secret?

    /// Reads a notification of the system.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier.
    ///   - category: Its category's identifier, as text.
    ///   - userInfo: Its content. If JSON can't hold it, the notification counts as the app's own.
    ///   - isPush: Whether a push service brought it.
    public init(
        identifier: String, category: String = "", userInfo: [AnyHashable: Any] = [:],
        isPush: Bool = false
    ) {
        self.identifier = identifier
        self.category = LocalNotification.Category(rawValue: category)
        self.isPush = isPush
        let named = Challenge.ID(notificationUserInfo: userInfo)
        // An identifier of the app's own may have the same form.
        let isCores = self.category != nil && !isPush
        challenge = named ?? (isCores ? Challenge.ID(notificationIdentifier: identifier) : nil)
        seal = NotificationSeal.shown(in: userInfo)
        message =
            if isPush {
                try? PushMessage(userInfo: userInfo)
            } else {
                KeptMessage(in: userInfo)?.message
            }
    }

    /// Whether it has something that only this installation's notifications have.
    var claimsToBeOwn: Bool { isPush && (challenge != nil || seal != nil) }
}

/// A push that couldn't be read yet, as text, for as long as its notification is there.
struct KeptMessage: Hashable, Sendable {
    /// The key under which a notification's `userInfo` holds it.
    static let userInfoKey = "push-auth.message"

    /// How long it may be, in bytes: twice what Apple's push service carries.
    private static let longest = 8192

    /// The push, as one strict JSON object.
    let text: String

    /// `nil` if it is no push, or too long to be one.
    init?(_ message: PushMessage) {
        guard message.channel == .push, message.content.object != nil else { return nil }
        text = message.content.text
        guard text.utf8.count <= Self.longest else { return nil }
    }

    init?(in userInfo: [AnyHashable: Any]) {
        guard let text = userInfo[Self.userInfoKey] as? String, text.utf8.count <= Self.longest
        else { return nil }
        self.text = text
    }

    var message: PushMessage? { try? PushMessage(json: text) }
}
