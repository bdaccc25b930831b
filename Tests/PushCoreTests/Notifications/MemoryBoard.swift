import PushCore

/// A board in memory: what is on it, and everything it was told.
actor MemoryBoard: NotificationBoard {
    private(set) var shown: [LocalNotification] = []
    /// Every notification that was posted, in order: each of them rang, if it plays a sound.
    private(set) var history: [LocalNotification] = []
    private(set) var removals: [[String]] = []
    private var own: [PostedNotification] = []
    private var isRefusing = false
    private var isSlowToList = false
    private var during: (@Sendable () async -> Void)?

    /// Runs a function between a post's arrival and its end, once.
    func whilePosting(_ body: @escaping @Sendable () async -> Void) { during = body }

    func refuse() { isRefusing = true }
    /// Notifications of the app's own.
    func add(_ notifications: [PostedNotification]) { own += notifications }
    /// The user swipes everything away.
    func dismissAll() { shown = [] }
    /// What is posted isn't listed, as right after a post.
    func forgetToList() { isSlowToList = true }

    func posted() -> [PostedNotification] {
        guard !isSlowToList else { return own }
        return own
            + shown.map { PostedNotification(identifier: $0.identifier, category: $0.category) }
    }

    func post(_ notification: LocalNotification) async throws(PushError) {
        if isRefusing { throw PushError(.notificationRefused, "No room.") }
        let body = during
        during = nil
        await body?()
        shown.removeAll { $0.identifier == notification.identifier }
        shown.append(notification)
        history.append(notification)
    }

    func remove(_ identifiers: [String]) {
        removals.append(identifiers)
        shown.removeAll { identifiers.contains($0.identifier) }
        own.removeAll { identifiers.contains($0.identifier) }
    }

    /// The category of each challenge's notification, by its name.
    var categories: [String: LocalNotification.Category] {
        Dictionary(shown.map { ($0.challenge.name, $0.category) }) { first, _ in first }
    }
}
