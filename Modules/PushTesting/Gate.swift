/// Holds whoever comes until it is opened, and tells when somebody has come.
package actor Gate {
    private let letsCancelledPass: Bool
    private var isOpen = false
    private var held: [Int: CheckedContinuation<Void, Never>] = [:]
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// How many have come.
    package private(set) var arrived = 0

    /// Creates a gate that is closed.
    ///
    /// - Parameter letsCancelledPass: Whether who is cancelled isn't held any longer.
    package init(letsCancelledPass: Bool = false) {
        self.letsCancelledPass = letsCancelledPass
    }

    /// Waits until it's open.
    package func pass() async {
        arrived += 1
        for watcher in watchers where watcher.count <= arrived { watcher.continuation.resume() }
        watchers.removeAll { $0.count <= arrived }
        guard !isOpen else { return }
        let place = arrived
        guard letsCancelledPass else {
            return await withCheckedContinuation { held[place] = $0 }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { held[place] = continuation }
            }
        } onCancel: {
            Task { await self.release(place) }
        }
    }

    private func release(_ place: Int) { held.removeValue(forKey: place)?.resume() }

    /// Waits until so many have come.
    package func arrival(_ count: Int = 1) async {
        guard arrived < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Lets everybody pass, from now on.
    package func open() {
        isOpen = true
        for continuation in held.values { continuation.resume() }
        held = [:]
    }
}
