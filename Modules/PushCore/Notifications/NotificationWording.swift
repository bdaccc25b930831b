/// Finds the words of notifications, in the user's language.
public protocol NotificationWording: Sendable {
    /// The texts of a notification. A vendor's own, as in ``Notice/title``, are recommendations.
    func words(for occasion: NotificationOccasion) -> NotificationWords

    /// The label of a button.
    func label(of action: LocalNotification.Action) -> String
}
