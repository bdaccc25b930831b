public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that moves only when a test moves it.
public final class ManualClock: PushClock {
    /// What is known of each server's clock.
    public let servers = ServerTime()

    private let state: Locked<(now: Date, elapsed: Duration)>

    /// Creates a clock.
    ///
    /// - Parameter now: What its wall clock shows.
    public init(_ now: Date) {
        state = Locked((now, .zero))
    }

    /// What its wall clock shows.
    public var now: Date { state.withLock { $0.now } }

    /// How far it was advanced.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// Lets time pass, on the wall clock and on the monotonic one.
    public func advance(by duration: Duration) {
        let seconds = Double(duration.components.seconds)
        let fraction = Double(duration.components.attoseconds) * 1e-18
        state.withLock { $0 = ($0.now + seconds + fraction, $0.elapsed + duration) }
    }

    /// Sets the wall clock, as a user or a time server would: the monotonic clock doesn't notice.
    public func set(_ now: Date) {
        state.withLock { $0.now = now }
    }
}
