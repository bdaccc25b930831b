#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A time as signed requests have it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
enum Timestamp {
    static func text(_ date: Date) -> String {
        let microseconds = Int64(
            exactly: (date.timeIntervalSince1970 * 1_000_000).rounded())
        let (seconds, fraction) = floored(microseconds ?? 0, by: 1_000_000)
        let (days, time) = floored(seconds, by: 86_400)
        let (year, month, day) = civil(days)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(clock.joined(separator: ":")).\(padded(fraction, 6))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func floored(_ number: Int64, by unit: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (number % unit + unit) % unit
        return ((number - rest) / unit, rest)
    }

    /// Year, month and day of a number of days from 1 January 1970, in the proleptic Gregorian calendar;
    /// years are counted from March, so that the leap day is the last of its year.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floored(days + 719_468, by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
