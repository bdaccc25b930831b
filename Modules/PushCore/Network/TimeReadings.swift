/// What one source has told of a server's time: what two of its readings agree on, and the newest
/// reading that stands alone.
///
/// Each is kept as the difference in seconds between the server's clock and this device's monotonic
/// time.
struct TimeReadings {
    /// Bounds of the difference, and when they were learned.
    struct Bounds {
        var low: Double
        var high: Double
        var learned: Double

        /// The same bounds later: they widen, as clocks drift.
        func at(_ elapsed: Double) -> ClosedRange<Double> {
            let drift = max(0, elapsed - learned) * TimeReadings.drift
            return low - drift...high + drift
        }
    }

    /// What a clock may gain or lose in a second: 100 parts per million, twice what quartz does.
    private static let drift = 1e-4

    /// What at least two readings agree on.
    private(set) var agreed: Bounds?

    /// The newest reading that agrees with none of those before.
    private(set) var lone: Bounds?

    /// The two greatest differences that messages have shown to be passed, the greater one first.
    private(set) var passed: [Bounds] = []

    /// Takes a reading that bounds the time from both sides.
    ///
    /// One that contradicts what two agree on stands alone, until another one agrees with it: then
    /// the server's clock was set, and what was known is wrong.
    mutating func take(_ reading: Bounds) {
        let new = reading.low...reading.high
        for known in [agreed, lone] {
            guard let bounds = known?.at(reading.learned), bounds.overlaps(new) else { continue }
            let common = bounds.clamped(to: new)
            agreed = Bounds(
                low: common.lowerBound, high: common.upperBound, learned: reading.learned)
            lone = nil
            return
        }
        lone = reading
    }

    /// Takes a difference that a message shows to be passed.
    mutating func take(passed low: Double, learned: Double) {
        passed.append(Bounds(low: low, high: .infinity, learned: learned))
        passed.sort { $0.at(learned).lowerBound > $1.at(learned).lowerBound }
        passed.removeLast(max(0, passed.count - 2))
    }

    /// The newest reading, agreed on or not.
    var newest: Bounds? {
        [agreed, lone].compactMap(\.self).max { $0.learned < $1.learned }
    }
}
