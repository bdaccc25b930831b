public import PushCore

/// Shows this device's notifications: the system's notification center, or an app's own list.
///
/// A ``NotificationPolicy`` and the ledger decide what the board shows, replaces and removes.
public protocol NotificationBoard: Sendable {
    /// All pending and delivered notifications, the app's own included.
    func posted() async -> [PostedNotification]

    /// Shows a notification, in place of one with the same identifier.
    ///
    /// - Throws: `PushError` with the code `notificationRefused` if the system refuses it.
    func post(_ notification: LocalNotification) async throws(PushError)

    /// Removes notifications, pending or delivered. It ignores unknown identifiers.
    func remove(_ identifiers: [String]) async
}

/// A change to make among this device's notifications.
///
/// `PushAuthenticator.present(_:on:by:)` makes the change. An app that makes it itself must
/// remove *pending* notifications as well as *delivered* ones.
@nonexhaustive
public enum NotificationChange: Hashable, Sendable {
    /// Show the notification, unless it is there already.
    case show(LocalNotification)
    /// Show the notification in place of the challenge's. If the challenge has none, as after the
    /// user dismissed it, show nothing. If the challenge's notification says that a message wasn't
    /// understood, only remove that.
    case replace(LocalNotification)
    /// Remove the challenge's notification.
    case remove(Challenge.ID)
    /// Remove the notifications of all challenges of an enrollment.
    case removeAll(Enrollment.ID)
    /// Leave everything as it is.
    case unchanged

    /// The challenge that it is about, if any.
    public var challenge: Challenge.ID? {
        switch self {
        case .show(let notification), .replace(let notification): notification.challenge
        case .remove(let id): id
        case .removeAll, .unchanged: nil
        }
    }

    /// What is to be done, given what is there. What is posted takes the place of what has the same
    /// identifier.
    ///
    /// - Parameter posted: What this installation shows, the extension's included: its notifications
    ///   have identifiers of the system's.
    /// - Returns: What to remove, and what to post.
    func steps(
        given posted: [PostedNotification]
    ) -> (removed: [String], posted: LocalNotification?) {
        let old = posted.filter { $0.challenge != nil && $0.challenge == challenge }
        switch self {
        case .show(let notification):
            guard !old.contains(where: { $0.category == notification.category }) else {
                return ([], nil)
            }
            return (Self.others(old, than: notification), notification)
        case .replace(let notification):
            // What was posted just now may not be listed yet: no question stays by mistake.
            guard !old.isEmpty else { return ([notification.identifier], nil) }
            guard !old.contains(where: { $0.category == notification.category }) else {
                return ([], nil)
            }
            // Nobody could answer what isn't understood, so nobody misses it.
            if old.allSatisfy({ $0.category == .incompatible }) {
                return (old.map(\.identifier), nil)
            }
            return (Self.others(old, than: notification), notification)
        case .remove(let id):
            let own = id.notificationIdentifier
            return ([own] + old.map(\.identifier).filter { $0 != own }, nil)
        case .removeAll(let enrollment):
            return (posted.filter { $0.challenge?.enrollment == enrollment }.map(\.identifier), nil)
        case .unchanged:
            return ([], nil)
        }
    }

    /// Those that a new one doesn't take the place of by itself.
    private static func others(
        _ old: [PostedNotification], than notification: LocalNotification
    ) -> [String] {
        old.map(\.identifier).filter { $0 != notification.identifier }
    }

    /// This change, as far as what the ledger says of its challenge allows.
    ///
    /// - Parameter known: The change that leads to what the ledger says.
    /// - Returns: The change to make.
    func corrected(by known: NotificationChange) -> NotificationChange {
        switch (self, known) {
        case (.unchanged, _), (.removeAll, _): self
        case (_, .unchanged): self
        // The same question; this one may say more, such as that it is one of many.
        case (.show(let wanted), .show(let other)) where wanted.category == other.category: self
        case (.show, _), (.replace, _), (.remove, _): known
        }
    }
}
