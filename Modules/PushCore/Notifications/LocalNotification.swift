/// A notification that the app shows itself, in terms that no system and no vendor owns.
///
/// Its texts are the app's words and the vendor's verified texts. It holds nothing else of the
/// challenge. When the user taps it, ``challenge`` comes back, and the app asks the authenticator
/// what is known of it.
public struct LocalNotification: Hashable, Sendable {
    /// What it is about, and so what the user can do with it.
    @nonexhaustive
    public enum Category: String, Hashable, Sendable, CaseIterable {
        /// A challenge waits for the user's answer.
        case question = "push-auth.question"
        /// A challenge waits for an answer that this device can't give.
        case unanswerable = "push-auth.unanswerable"
        /// A challenge is over.
        case ended = "push-auth.ended"
        /// A message is newer than this version understands.
        case incompatible = "push-auth.incompatible"
        /// A push couldn't be read yet, such as before the first unlock. It is kept in the notification.
        case unread = "push-auth.unread"

        /// The buttons it has, beside what a tap on the notification itself does.
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
        /// Open the challenge in the app; a tap on the notification itself means the same.
        case open = "push-auth.open"
        /// Say no without opening it, by ``PushAuthenticator/deny(by:_:)``.
        case deny = "push-auth.deny"
    }

    /// How much a notification may interrupt; the names are those of Apple's interruption levels.
    @nonexhaustive
    public enum Interruption: Hashable, Sendable {
        /// It goes to the list without lighting the screen.
        case passive
        /// As usual.
        case active
        /// Also through a focus or a scheduled summary, where the app has the right.
        case timeSensitive
    }

    /// Identifies it on this device; of a challenge's it is ``Challenge/ID/notificationIdentifier``.
    public let identifier: String

    /// The challenge it is about; `nil` if it is about a push that couldn't be read yet.
    public let challenge: Challenge.ID?

    /// What it is about, and so what the user can do with it.
    public let category: Category

    /// Its title.
    public let title: String

    /// Its text.
    public let body: String

    /// How urgent the vendor says it is. Use it for the looks, such as an icon, and never to delay
    /// the notification.
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
    /// They name the challenge, which ``NotificationResponse`` and
    /// ``Challenge/ID/init(notificationUserInfo:)`` read. A notification with buttons also has a
    /// secret of this installation, by which ``PushAuthenticator/deny(by:_:)`` recognizes it. One of a
    /// push that couldn't be read yet has that push. Don't change the texts, don't log them, and send
    /// them nowhere.
    ///
    /// ``PushAuthenticator/present(_:on:by:)`` and
    /// ``PushAuthenticator/notificationChange(for:by:)`` add the secret. A notification that
    /// ``NotificationPolicy`` alone makes has none: the user can open its challenge, and can't deny
    /// it by the button.
    public var userInfo: [String: String] {
        var userInfo: [String: String] = [:]
        userInfo[Challenge.ID.userInfoKey] = challenge?.notificationIdentifier
        userInfo[NotificationSeal.userInfoKey] = seal?.text
        userInfo[KeptMessage.userInfoKey] = message?.text
        return userInfo
    }
}
