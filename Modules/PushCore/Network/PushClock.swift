#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// This device's time, and each server's.
public protocol PushClock: Sendable {
    /// The device's wall clock, which may be wrong and may jump.
    var now: Date { get }

    /// The time since a fixed moment, the same one in all processes of the device until it restarts.
    /// It never jumps, and goes on while the device sleeps.
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

    /// Creates a clock that knows no server yet.
    public init() {}

    /// The device's wall clock.
    public var now: Date { Date() }

    /// The time since the device started, sleep included.
    public var elapsed: Duration {
        #if canImport(Darwin)
        let clock = CLOCK_MONOTONIC_RAW
        #else
        let clock = CLOCK_BOOTTIME
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
