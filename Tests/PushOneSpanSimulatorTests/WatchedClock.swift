import Foundation
import PushCore
import PushTesting

/// A clock that a test moves once something sleeps by it.
final class WatchedClock: PushClock {
    private let clock: ManualClock
    private let bedroom: Bedroom

    init(_ now: Date) {
        clock = ManualClock(now)
        bedroom = Bedroom(clock)
    }

    var serverTime: ServerTime { clock.serverTime }
    var now: Date { clock.now }
    var elapsed: Duration { clock.elapsed }

    func advance(by duration: Duration) { clock.advance(by: duration) }

    func sleep(for duration: Duration) async { await bedroom.sleep(for: duration) }

    /// Returns once something sleeps.
    func untilAsleep() async { await bedroom.untilAsleep() }

    /// An actor, so that whoever hears of a sleeper comes behind its falling asleep.
    private actor Bedroom {
        private let clock: ManualClock
        private var count = 0
        private var watchers: [CheckedContinuation<Void, Never>] = []

        init(_ clock: ManualClock) { self.clock = clock }

        func sleep(for duration: Duration) async {
            count += 1
            for watcher in watchers { watcher.resume() }
            watchers = []
            await clock.sleep(for: duration)
            count -= 1
        }

        func untilAsleep() async {
            while count == 0 { await withCheckedContinuation { watchers.append($0) } }
        }
    }
}
