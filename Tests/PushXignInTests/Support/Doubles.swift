import Foundation
import PushCore
import PushPlatform
import PushTesting

/// The notifications of a device, in memory.
actor Board: NotificationBoard {
    private(set) var shown: [LocalNotification] = []

    func posted() -> [PostedNotification] {
        shown.map {
            PostedNotification(identifier: $0.identifier, category: $0.category.rawValue)
        }
    }

    func post(_ notification: LocalNotification) {
        remove([notification.identifier])
        shown.append(notification)
    }

    func remove(_ identifiers: [String]) {
        shown.removeAll { identifiers.contains($0.identifier) }
    }

    var categories: [LocalNotification.Category] { shown.map(\.category) }
}
