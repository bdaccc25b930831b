import PushCore
import PushPlatform

/// A board in memory: what is on it, and everything it was told.
actor InMemoryBoard: NotificationBoard {
    /// What the user sees.
    private(set) var shown: [LocalNotification] = []
    /// Every notification that was posted, in order: each of them rang, if it plays a sound.
    private(set) var history: [LocalNotification] = []
    /// Everything it was told to remove, in order.
    private(set) var removals: [[String]] = []
    private var own: [PostedNotification] = []
    private var isRefusing = false
    private var isSlowToList = false
    private var during: (@Sendable () async -> Void)?

    /// Creates an empty board.
    init() {}

    /// Runs a function between a post's arrival and its end, once.
    func whilePosting(_ body: @escaping @Sendable () async -> Void) { during = body }

    /// Takes nothing from now on.
    func refuse() { isRefusing = true }
    /// Notifications of the app's own.
    func add(_ notifications: [PostedNotification]) { own += notifications }
    /// The user swipes everything away.
    func dismissAll() { shown = [] }
    /// What is posted isn't listed, as right after a post.
    func forgetToList() { isSlowToList = true }

    /// What is listed of it.
    func posted() -> [PostedNotification] {
        guard !isSlowToList else { return own }
        return own
            + shown.map {
                PostedNotification(
                    identifier: $0.identifier, category: $0.category.rawValue, userInfo: $0.userInfo
                )
            }
    }

    /// Shows a notification, in place of one of its identifier.
    func post(_ notification: LocalNotification) async throws(PushError) {
        if isRefusing { throw PushError(.notificationRefused, "No room.") }
        let body = during
        during = nil
        await body?()
        shown.removeAll { $0.identifier == notification.identifier }
        shown.append(notification)
        history.append(notification)
    }

    /// Takes notifications away.
    func remove(_ identifiers: [String]) {
        removals.append(identifiers)
        shown.removeAll { identifiers.contains($0.identifier) }
        own.removeAll { identifiers.contains($0.identifier) }
    }

    /// The category of each challenge's notification, by its name.
    var categories: [String: LocalNotification.Category] {
        Dictionary(shown.map { ($0.challenge?.name ?? "", $0.category) }) { first, _ in first }
    }
}
