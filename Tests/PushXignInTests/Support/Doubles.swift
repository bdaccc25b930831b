import Foundation
import PushCore
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

/// A clock that a test moves, and that tells the test when something sleeps.
struct StagedClock: PushClock {
    let manual: ManualClock
    let sleeping: @Sendable (Duration) async -> Void

    var now: Date { manual.now }
    var elapsed: Duration { manual.elapsed }
    var serverTime: ServerTime { manual.serverTime }

    func sleep(for duration: Duration) async {
        guard duration > .zero else { return }
        await sleeping(duration)
    }
}

/// Holds every task that passes until it is opened, and tells when the first one has come.
actor Gate {
    private var isOpen = false
    private var hasArrived = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        hasArrived = true
        for watcher in watchers { watcher.resume() }
        watchers = []
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func arrival() async {
        guard !hasArrived else { return }
        await withCheckedContinuation { watchers.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
