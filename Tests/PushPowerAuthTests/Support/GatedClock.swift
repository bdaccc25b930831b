import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A clock that stands still until a gate opens; from then on, whoever sleeps is woken at once, and
/// the time that was slept has passed.
final class GatedClock: PushClock {
    private let clock: ManualClock
    private let gate: Gate

    init(_ clock: ManualClock, behind gate: Gate) {
        self.clock = clock
        self.gate = gate
    }

    var serverTime: ServerTime { clock.serverTime }
    var now: Date { clock.now }
    var elapsed: Duration { clock.elapsed }

    func sleep(for duration: Duration) async {
        await gate.pass()
        // Who gives up has slept for no time.
        guard !Task.isCancelled else { return }
        clock.advance(by: duration)
    }
}
