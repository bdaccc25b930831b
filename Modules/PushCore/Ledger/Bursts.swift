#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When challenges came for an enrollment, and when the user last called one an attack: by the
/// device's clock, to the second.
struct Bursts: Hashable, Sendable {
    private(set) var times: [CompactDate] = []
    private(set) var alarm: CompactDate?

    /// Counts a new challenge. How many came within the window, if these are more than `most`, or
    /// the user gave the alarm.
    mutating func count(at now: Date, beyond most: Int, within window: Duration) -> Int? {
        guard let time = CompactDate(now) else { return nil }
        // Times beyond the limit don't change the verdict, so they aren't kept.
        let kept = min(max(most, 0), 10_000) + 100
        times = (times.filter { Self.isRecent($0, at: time, window) } + [time]).suffix(kept)
        return burst(of: times.count, at: time, beyond: most, within: window)
    }

    /// How many came within the window, if that is a burst or the user gave the alarm; it counts
    /// nothing.
    func current(at now: Date, beyond most: Int, within window: Duration) -> Int? {
        guard let time = CompactDate(now) else { return nil }
        let count = times.count { Self.isRecent($0, at: time, window) }
        return burst(of: count, at: time, beyond: most, within: window)
    }

    /// The user called a challenge an attack: until the window has passed, each further one is
    /// flagged.
    mutating func raiseAlarm(at now: Date) { alarm = CompactDate(now) }

    private func burst(
        of count: Int, at time: CompactDate, beyond most: Int, within window: Duration
    ) -> Int? {
        let isAlarmed = alarm.map { Self.isRecent($0, at: time, window) } ?? false
        return count > most || isAlarmed && count > 0 ? count : nil
    }

    /// Whether a moment is within the window. What a clock that was set back makes of the past
    /// counts from the other side.
    private static func isRecent(
        _ one: CompactDate, at time: CompactDate, _ window: Duration
    ) -> Bool {
        abs(time.seconds(since: one)) < window.inSeconds
    }
}
