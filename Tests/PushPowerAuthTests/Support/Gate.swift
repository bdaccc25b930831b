import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A door that is closed at first.
actor Gate {
    private var isOpen = false
    private var hasArrived = false
    private var last = 0
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var watching: [CheckedContinuation<Void, Never>] = []

    /// Waits until it's open, or the task is cancelled.
    func pass() async {
        hasArrived = true
        for continuation in watching { continuation.resume() }
        watching = []
        guard !isOpen else { return }
        last += 1
        let place = last
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { waiting[place] = continuation }
            }
        } onCancel: {
            Task { await self.leave(place) }
        }
    }

    private func leave(_ place: Int) {
        waiting.removeValue(forKey: place)?.resume()
    }

    /// Waits until somebody stands before it.
    func arrived() async {
        guard !hasArrived else { return }
        await withCheckedContinuation { watching.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting.values { continuation.resume() }
        waiting = [:]
    }
}

/// A clock that stands still until a gate opens; from then on, whoever sleeps is woken at once, and
/// the time that was slept has passed.
final class GatedClock: PushClock {
    private let clock: ManualClock
    private let gate: Gate

    init(_ clock: ManualClock, behind gate: Gate) {
        self.clock = clock
        self.gate = gate
    }

    var servers: ServerTime { clock.servers }
    var now: Date { clock.now }
    var elapsed: Duration { clock.elapsed }

    func sleep(for duration: Duration) async {
        await gate.pass()
        // Who gives up has slept for no time.
        guard !Task.isCancelled else { return }
        clock.advance(by: duration)
    }
}
