#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The clock of the system.
public struct SystemClock: PushClock {
    /// What is known of each server's clock.
    public let servers = ServerTime()

    private let start = ContinuousClock.now

    /// Creates a clock that knows no server yet.
    public init() {}

    /// The device's wall clock.
    public var now: Date { Date() }

    /// The time since this value was made, sleep included.
    public var elapsed: Duration { start.duration(to: .now) }
}
