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
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var watching: [CheckedContinuation<Void, Never>] = []

    /// Waits until it's open.
    func pass() async {
        hasArrived = true
        for continuation in watching { continuation.resume() }
        watching = []
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits until somebody stands before it.
    func arrived() async {
        guard !hasArrived else { return }
        await withCheckedContinuation { watching.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
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
        clock.advance(by: duration)
    }
}
