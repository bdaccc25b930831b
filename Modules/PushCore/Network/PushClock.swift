#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// This device's time, and each server's.
public protocol PushClock: Sendable {
    /// The device's wall clock, which may be wrong and may jump.
    var now: Date { get }

    /// The time since a fixed moment. It never jumps, and goes on while the device sleeps.
    var elapsed: Duration { get }

    /// What is known of each server's clock.
    var serverTime: ServerTime { get }

    /// Sleeps until the duration has passed on the monotonic clock, or the task is cancelled.
    func sleep(for duration: Duration) async
}

extension PushClock {
    /// Sleeps by the system's own clock.
    public func sleep(for duration: Duration) async {
        try? await Task.sleep(for: duration)
    }
}

/// The clock of the system.
public struct SystemClock: PushClock {
    /// What is known of each server's clock.
    public let serverTime = ServerTime()

    private let start = ContinuousClock.now

    /// Creates a clock that knows no server yet.
    public init() {}

    /// The device's wall clock.
    public var now: Date { Date() }

    /// The time since this value was made, sleep included.
    public var elapsed: Duration { start.duration(to: .now) }
}
