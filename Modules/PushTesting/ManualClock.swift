public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that moves only when a test moves it.
public final class ManualClock: PushClock {
    /// What is known of each server's clock.
    public let serverTime = ServerTime()

    private struct State {
        var now: Date
        var elapsed: Duration = .zero
        var sleepers: [Int: (end: Duration, continuation: CheckedContinuation<Void, Never>)] = [:]
        var watchers: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastSleeper = 0
        var cancelled: Set<Int> = []
    }

    private let state: Locked<State>

    /// Creates a clock.
    ///
    /// - Parameter now: What its wall clock shows.
    public init(_ now: Date) {
        state = Locked(State(now: now))
    }

    /// What its wall clock shows.
    public var now: Date { state.withLock { $0.now } }

    /// How far it was advanced.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// How many sleep until the clock is advanced.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Returns once the clock was advanced so far, or the task is cancelled.
    public func sleep(for duration: Duration) async {
        let sleeper = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let awake = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    guard duration > .zero, state.cancelled.remove(sleeper) == nil else {
                        return [continuation]
                    }
                    state.sleepers[sleeper] = (state.elapsed + duration, continuation)
                    defer { state.watchers = [:] }
                    return Array(state.watchers.values)
                }
                for continuation in awake { continuation.resume() }
            }
        } onCancel: {
            let sleeping = state.withLock { state in
                guard let found = state.sleepers.removeValue(forKey: sleeper) else {
                    state.cancelled.insert(sleeper)
                    return nil as CheckedContinuation<Void, Never>?
                }
                return found.continuation
            }
            sleeping?.resume()
        }
    }

    /// Returns once somebody sleeps, or the task is cancelled.
    package func sleeper() async {
        let watcher = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.cancelled.remove(watcher) == nil, state.sleepers.isEmpty else {
                        return true
                    }
                    state.watchers[watcher] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                guard let found = state.watchers.removeValue(forKey: watcher) else {
                    state.cancelled.insert(watcher)
                    return nil as CheckedContinuation<Void, Never>?
                }
                return found
            }
            waiting?.resume()
        }
    }

    /// Lets time pass whenever somebody sleeps, until the task is cancelled.
    package func ticking(by step: Duration) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await sleeper()
                advance(by: step)
            }
        }
    }

    /// Lets time pass, on the wall clock and on the monotonic one, and wakes who has slept enough.
    public func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.now += duration.inSeconds
            state.elapsed += duration
            let awake = state.sleepers.filter { $0.value.end <= state.elapsed }
            for sleeper in awake.keys { state.sleepers[sleeper] = nil }
            return awake.values.sorted { $0.end < $1.end }.map(\.continuation)
        }
        for continuation in awake { continuation.resume() }
    }

    /// Sets the wall clock, as a user or a time server would: the monotonic clock doesn't notice.
    public func set(_ now: Date) {
        state.withLock { $0.now = now }
    }
}

/// Another clock, whose wall clock is off or whose sleepers a test has in hand.
package struct StagedClock: PushClock {
    private let clock: any PushClock
    private let offset: Double
    private let sleeping: @Sendable (Duration) async -> Void

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - clock: The other clock.
    ///   - offset: How many seconds its wall clock is ahead of the other.
    ///   - sleeping: What happens when something sleeps; `nil`: it sleeps by the other.
    package init(
        _ clock: any PushClock, ahead offset: Double = 0,
        sleeping: (@Sendable (Duration) async -> Void)? = nil
    ) {
        (self.clock, self.offset) = (clock, offset)
        self.sleeping = sleeping ?? { await clock.sleep(for: $0) }
    }

    /// What its wall clock shows.
    package var now: Date { clock.now + offset }

    /// How far the other was advanced.
    package var elapsed: Duration { clock.elapsed }

    /// What is known of each server's clock.
    package var serverTime: ServerTime { clock.serverTime }

    /// Does what the test said.
    package func sleep(for duration: Duration) async { await sleeping(duration) }
}
