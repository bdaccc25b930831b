/// Plain English, for apps that have no words of their own. The vendor's texts come first.
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
