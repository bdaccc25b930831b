public import PushCore

/// A notification that the app shows itself, independent of system and vendor.
///
/// Its texts are the app's words and the vendor's verified texts; it holds nothing else of the
/// challenge. A tap brings ``challenge`` back, and the app asks the authenticator about it.
public struct LocalNotification: Hashable, Sendable {
    /// What it is about, and so what the user can do with it.
    @nonexhaustive
    public enum Category: String, Hashable, Sendable, CaseIterable {
        /// A challenge waits for the user's answer.
        case question = "push-auth.question"
        /// A challenge waits, but this device can't answer it.
        case unanswerable = "push-auth.unanswerable"
        /// A challenge is over.
        case ended = "push-auth.ended"
        /// A message is newer than this version understands.
        case incompatible = "push-auth.incompatible"
        /// A push couldn't be read yet, such as before the first unlock. The notification keeps it.
        case unread = "push-auth.unread"

        /// The notification's buttons; a tap on the notification itself is no button.
        public var actions: [Action] {
            switch self {
            case .question: [.open, .deny]
            case .unanswerable, .ended, .incompatible, .unread: []
            }
        }
    }

    /// What the user can do with a notification. No button approves: the user sees the challenge
    /// first.
    @nonexhaustive
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// Open the challenge in the app, as a tap on the notification itself does.
        case open = "push-auth.open"
        /// Deny the challenge without opening it, by `PushAuthenticator.deny(by:_:)`.
        case deny = "push-auth.deny"
    }

    /// How much a notification may interrupt, by the names of Apple's interruption levels.
    @nonexhaustive
    public enum Interruption: Hashable, Sendable {
        /// Into the list, without lighting the screen.
        case passive
        /// As usual.
        case active
        /// Also through a focus or a scheduled summary, if the app has that right.
        case timeSensitive
    }

    /// Its identifier on this device. A challenge's notification has
    /// `Challenge.ID.notificationIdentifier`.
    public let identifier: String

    /// Its challenge; `nil` for a push that couldn't be read yet.
    public let challenge: Challenge.ID?

    /// What it is about, and so what the user can do with it.
    public let category: Category

    /// Its title.
    public let title: String

    /// Its text.
    public let body: String

    /// How urgent the vendor says it is. Use it for looks, such as an icon, never to delay the
    /// notification.
    public let priority: Notice.Priority

    /// How much it may interrupt.
    public internal(set) var interruption: Interruption

    /// Whether it makes a sound.
    public let playsSound: Bool

    /// What lets it say no, once an authenticator has put it there; see ``userInfo``.
    var seal: NotificationSeal?

    /// The push that couldn't be read yet.
    var message: KeptMessage?

    /// Groups the notifications of one enrollment.
    public var thread: String {
        guard challenge != nil else { return Category.unread.rawValue }
        // Without the challenge's own name, behind the last slash.
        let parts = identifier.parts(at: "/")
        return parts.dropLast().joined(separator: "/")
    }

    /// Texts that the system keeps with the notification and hands back on a tap.
    ///
    /// They name the challenge, for ``NotificationResponse`` and
    /// `Challenge.ID.init(notificationUserInfo:)`. A notification with buttons also has a secret
    /// of this installation, for `PushAuthenticator.deny(by:_:)`. A notification of an unread
    /// push has that push. Don't change, log or send the texts.
    ///
    /// `PushAuthenticator.present(_:on:by:)` and
    /// `PushAuthenticator.notificationChange(for:by:)` add the secret. A notification that
    /// ``NotificationPolicy`` alone makes has none: its button opens the challenge, but can't deny
    /// it.
    public var userInfo: [String: String] {
        var userInfo: [String: String] = [:]
        userInfo[Challenge.ID.userInfoKey] = challenge?.notificationIdentifier
        userInfo[NotificationSeal.userInfoKey] = seal?.text
        userInfo[KeptMessage.userInfoKey] = message?.text
        return userInfo
    }
}
