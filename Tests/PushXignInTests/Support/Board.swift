import PushCore
import PushTesting

typealias Board = InMemoryBoard

extension InMemoryBoard {
    /// The category of each notification, in the order they were posted.
    var categories: [LocalNotification.Category] { shown.map(\.category) }
}
