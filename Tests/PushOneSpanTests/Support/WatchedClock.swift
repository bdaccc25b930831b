import Foundation
import PushCore
import PushTesting

/// A test's clock, and what sleeps by it at the moment.
final class WatchedClock: PushClock {
    private let clock: ManualClock

    /// The clock that a test moves.
    var manual: ManualClock { clock }
    private let bedroom: Bedroom

    /// Whether pauses between two tries pass at once, while a limit of a minute or more passes only
    /// when a test lets time pass.
    private let isHurried: Bool

    init(_ clock: ManualClock, isHurried: Bool = false) {
        self.clock = clock
        self.isHurried = isHurried
        bedroom = Bedroom(clock)
    }

    var serverTime: ServerTime { clock.serverTime }
    var now: Date { clock.now }
    var elapsed: Duration { clock.elapsed }

    func sleep(for duration: Duration) async {
        // The core's loops sleep, too: others get a turn between.
        guard !isHurried || duration >= .seconds(45) else { return await Task.yield() }
        await bedroom.sleep(for: duration)
    }

    /// Returns once something sleeps, for so long if that matters.
    func untilAsleep(for duration: Duration? = nil) async {
        await bedroom.untilAsleep(for: duration)
    }

    /// An actor, so that whoever hears of a sleeper comes behind its falling asleep.
    private actor Bedroom {
        private let clock: ManualClock
        private let awoken = Awoken()
        private var sleepers: [Int: (duration: Duration, end: Duration)] = [:]
        private var last = 0
        private var watchers: [CheckedContinuation<Void, Never>] = []

        init(_ clock: ManualClock) { self.clock = clock }

        func sleep(for duration: Duration) async {
            last += 1
            let name = last
            sleepers[name] = (duration, clock.elapsed + duration)
            for watcher in watchers { watcher.resume() }
            watchers = []
            await withTaskCancellationHandler {
                await clock.sleep(for: duration)
            } onCancel: {
                awoken.add(name)
            }
            sleepers[name] = nil
        }

        func untilAsleep(for duration: Duration?) async {
            while !isAsleep(for: duration) {
                await withCheckedContinuation { watchers.append($0) }
            }
        }

        private func isAsleep(for duration: Duration?) -> Bool {
            sleepers.contains { name, sleeper in
                sleeper.end > clock.elapsed && !awoken.has(name)
                    && (duration == nil || sleeper.duration == duration)
            }
        }
    }

    /// Sleepers whose task was cancelled. Its state is read and written under its lock alone, so it
    /// is safe to send.
    private final class Awoken: @unchecked Sendable {
        private let lock = NSLock()
        private var names: Set<Int> = []

        func add(_ name: Int) { lock.withLock { _ = names.insert(name) } }
        func has(_ name: Int) -> Bool { lock.withLock { names.contains(name) } }
    }
}
