/// A notification that the app shows itself, in terms that no system and no vendor owns.
///
/// Its texts are the app's words, the vendor's proved ones among them. Nothing else of the challenge
/// is in it: when the user taps it, ``challenge`` comes back, and what is known of that is looked up.
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

        /// The buttons it has, beside what a tap on the notification itself does.
        public var actions: [Action] {
            switch self {
            case .question: [.open, .deny]
            case .unanswerable, .ended, .incompatible: []
            }
        }
    }

    /// What the user can do with a notification. There is none that says yes: whoever does so sees
    /// the challenge first.
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

    /// The challenge it is about.
    public let challenge: Challenge.ID

    /// What it is about, and so what the user can do with it.
    public let category: Category

    /// Its title.
    public let title: String

    /// Its text.
    public let body: String

    /// How urgent the vendor says it is: a hint for its looks, such as an icon, never for later.
    public let priority: Notice.Priority

    /// How much it may interrupt.
    public let interruption: Interruption

    /// Whether it makes a sound.
    public let playsSound: Bool

    /// What lets it say no, once an authenticator has put it there; see ``userInfo``.
    var seal: NotificationSeal?

    /// Identifies it on this device, and its challenge; see ``Challenge/ID/notificationIdentifier``.
    public var identifier: String { challenge.notificationIdentifier }

    /// Groups what belongs to one enrollment.
    public var thread: String {
        // Without the challenge's own name, behind the last slash.
        let parts = identifier.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast().joined(separator: "/")
    }

    /// What the system keeps with it and hands back on a tap, as texts: the challenge, which
    /// ``NotificationResponse`` and ``Challenge/ID/init(notificationUserInfo:)`` read; and, where it
    /// has buttons, a secret of this installation, by which ``PushAuthenticator/deny(by:_:)`` knows it
    /// again. Leave it as it is, log it nowhere, and send it nowhere.
    ///
    /// The secret is in what ``PushAuthenticator/present(_:on:by:)`` posts, and in what
    /// ``PushAuthenticator/notificationChange(for:by:)`` returns. What ``NotificationPolicy`` alone
    /// makes has none: it can be opened, not denied.
    public var userInfo: [String: String] {
        var userInfo = [Challenge.ID.userInfoKey: identifier]
        userInfo[NotificationSeal.userInfoKey] = seal?.text
        return userInfo
    }
}
