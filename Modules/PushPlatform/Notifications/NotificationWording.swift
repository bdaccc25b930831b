public import PushCore

/// Finds the words of notifications, in the user's language.
public protocol NotificationWording: Sendable {
    /// The texts of a notification. The vendor's own, such as `Notice.title`, are
    /// recommendations.
    func words(for occasion: NotificationOccasion) -> NotificationWords

    /// The label of a button.
    func label(of action: LocalNotification.Action) -> String
}

/// The texts of one notification.
public struct NotificationWords: Hashable, Sendable {
    /// Its title.
    public var title: String

    /// Its text.
    public var body: String

    /// Creates texts.
    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }
}

/// What a notification is about, for the code that words it.
///
/// It holds no account, origin or address, because a locked screen shows it. Its texts are the
/// vendor's, verified and made safe to show.
@nonexhaustive
public enum NotificationOccasion: Hashable, Sendable {
    /// A challenge waits for an answer, and whether its time has run out. If there is a `burst`,
    /// that many came within the window of `PushConfiguration.bursts`: warn the user.
    case challenge(Notice, Validity, burst: Int?)
    /// A challenge waits, but this device can't answer it: its enrollment is blocked, or unknown to
    /// the vendor.
    case unanswerable(Notice)
    /// A challenge is over.
    case over(Withdrawal)
    /// The vendor said no to the user's answer, for good.
    case notTaken(Challenge.ID, Outcome.Refusal)
    /// A message is newer than this version understands: the app needs an update.
    case incompatible(PushEvent.Incompatible)
    /// A push couldn't be read now, or only the app may show its content. The words mustn't claim
    /// that anything waits: anybody may have sent the push.
    case unread
    /// A push came for something that needs no answer any more, but the system must show something.
    case settled
}

/// Plain English, for apps without words of their own. It prefers the vendor's texts.
public struct EnglishWording: NotificationWording {
    /// Creates the wording.
    public init() {}

    /// The texts of a notification.
    public func words(for occasion: NotificationOccasion) -> NotificationWords {
        switch occasion {
        case .challenge(let notice, let validity, let burst):
            let body =
                validity == .expired
                ? "This request is late. It may no longer be accepted."
                : notice.body ?? "Open it to answer."
            let warning = burst.map { "\($0) requests in a short time. Deny what isn't yours.\n" }
            return NotificationWords(title: title(of: notice), body: (warning ?? "") + body)
        case .unanswerable(let notice):
            return NotificationWords(
                title: title(of: notice), body: "This device can't answer it. Open the app.")
        case .over(let withdrawal):
            return NotificationWords(title: "Request ended", body: body(for: withdrawal.reason))
        case .notTaken:
            return NotificationWords(
                title: "Request ended", body: "Your answer wasn't accepted.")
        case .incompatible(let incompatible):
            let version = incompatible.minimumVersion.map { " It needs version \($0)." } ?? ""
            return NotificationWords(
                title: "Update needed",
                body: "A request arrived that this app can't show.\(version)")
        case .unread:
            return NotificationWords(
                title: "Open the app", body: "It looks whether something waits for you.")
        case .settled:
            return NotificationWords(
                title: "Nothing to do", body: "This request needs no answer any more.")
        }
    }

    /// The label of a button.
    public func label(of action: LocalNotification.Action) -> String {
        switch action {
        case .open: "Open"
        case .deny: "Deny"
        }
    }

    private func title(of notice: Notice) -> String { notice.title ?? "Request to confirm" }

    private func body(for reason: Withdrawal.Reason) -> String {
        switch reason {
        case .elsewhere: "It was answered on another device."
        case .cancelled: "It was cancelled."
        case .finished: "It was completed."
        case .expired: "Its time ran out."
        case .unknown: "It's over."
        }
    }
}
