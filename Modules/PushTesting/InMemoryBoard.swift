package import PushCore

/// A board in memory: what is on it, and everything it was told.
package actor InMemoryBoard: NotificationBoard {
    /// What the user sees.
    package private(set) var shown: [LocalNotification] = []
    /// Every notification that was posted, in order: each of them rang, if it plays a sound.
    package private(set) var history: [LocalNotification] = []
    /// Everything it was told to remove, in order.
    package private(set) var removals: [[String]] = []
    private var own: [PostedNotification] = []
    private var isRefusing = false
    private var isSlowToList = false
    private var during: (@Sendable () async -> Void)?

    /// Creates an empty board.
    package init() {}

    /// Runs a function between a post's arrival and its end, once.
    package func whilePosting(_ body: @escaping @Sendable () async -> Void) { during = body }

    /// Takes nothing from now on.
    package func refuse() { isRefusing = true }
    /// Notifications of the app's own.
    package func add(_ notifications: [PostedNotification]) { own += notifications }
    /// The user swipes everything away.
    package func dismissAll() { shown = [] }
    /// What is posted isn't listed, as right after a post.
    package func forgetToList() { isSlowToList = true }

    /// What is listed of it.
    package func posted() -> [PostedNotification] {
        guard !isSlowToList else { return own }
        return own
            + shown.map {
                PostedNotification(
                    identifier: $0.identifier, category: $0.category.rawValue, userInfo: $0.userInfo
                )
            }
    }

    /// Shows a notification, in place of one of its identifier.
    package func post(_ notification: LocalNotification) async throws(PushError) {
        if isRefusing { throw PushError(.notificationRefused, "No room.") }
        let body = during
        during = nil
        await body?()
        shown.removeAll { $0.identifier == notification.identifier }
        shown.append(notification)
        history.append(notification)
    }

    /// Takes notifications away.
    package func remove(_ identifiers: [String]) {
        removals.append(identifiers)
        shown.removeAll { identifiers.contains($0.identifier) }
        own.removeAll { identifiers.contains($0.identifier) }
    }

    /// The category of each challenge's notification, by its name.
    package var categories: [String: LocalNotification.Category] {
        Dictionary(shown.map { ($0.challenge?.name ?? "", $0.category) }) { first, _ in first }
    }
}
