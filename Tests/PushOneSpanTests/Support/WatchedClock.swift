import Foundation
import PushCore
import PushTesting

/// A test's clock, and what sleeps by it at the moment.
final class WatchedClock: PushClock {
    private let clock: ManualClock
    private let sleepers = Sleepers()

    init(_ clock: ManualClock) { self.clock = clock }

    var servers: ServerTime { clock.servers }
    var now: Date { clock.now }
    var elapsed: Duration { clock.elapsed }

    func sleep(for duration: Duration) async {
        await sleepers.add(duration)
        await clock.sleep(for: duration)
        await sleepers.remove(duration)
    }

    /// Waits until something sleeps for so long, and nothing is about to fall asleep or to wake.
    func untilAsleep(for duration: Duration) async {
        while true {
            let known = await sleepers.durations
            if known.contains(duration), known.count == clock.sleepers { return }
            await Task.yield()
        }
    }

    private actor Sleepers {
        private(set) var durations: [Duration] = []

        func add(_ duration: Duration) { durations.append(duration) }

        func remove(_ duration: Duration) {
            if let index = durations.firstIndex(of: duration) { durations.remove(at: index) }
        }
    }
}
