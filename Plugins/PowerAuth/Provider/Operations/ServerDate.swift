#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Moments as the server writes them: operations as `2018-07-02T14:43:13+0000`, inbox messages as
/// `2022-08-25T22:34:58.702+00:00`.
///
/// Both are ISO 8601, and each is read where the other is expected: with a fraction of any length
/// or none, and an offset with or without a colon, or `Z`. Anything else isn't a date.
enum ServerDate {
    /// Reads a date; `nil` if it isn't one.
    static func date(_ text: String) -> Date? {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
            reader.take("-"), let day = reader.number(2), reader.take("T"),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2),
            reader.take(":"), let second = reader.number(2),
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd,
            1...12 ~= month, 1...daysInMonth(month, of: year) ~= day, hour < 24, minute < 60,
            second < 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(whole) + fraction)
    }

    /// Writes a moment in whole seconds, such as `2024-10-11T09:15:02Z`; later ones than the year
    /// 9999 as its last second, earlier ones than the year 0 as its first.
    static func utc(_ date: Date) -> String {
        let bounded = min(max(date.timeIntervalSince1970, -62_167_219_200), 253_402_300_799)
        let seconds = Int(bounded.rounded(.down))
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = seconds - day * 86_400
        let (year, month, dayOfMonth) = civil(day)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }
        return Self.day(year, month, dayOfMonth) + "T" + time.joined(separator: ":") + "Z"
    }

    /// Writes a day, such as `2024-10-11`.
    static func day(_ year: Int, _ month: Int, _ day: Int) -> String {
        padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // Both count in eras of 400 years that begin on 1 March, so that the leap day comes last.

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year + 399 : year + 400  // From 400 on, so nothing is negative.
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let era = year / 400
        let yearOfEra = year % 400
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468 - 146_097
    }

    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468 + 146_097
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = (era - 1) * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
                return false
            }
            position += 1
            return true
        }

        mutating func digit() -> Int? {
            guard position < bytes.count, 0x30...0x39 ~= bytes[position] else { return nil }
            defer { position += 1 }
            return Int(bytes[position] - 0x30)
        }

        mutating func number(_ digits: Int) -> Int? {
            var value = 0
            for _ in 0..<digits {
                guard let next = digit() else { return nil }
                value = value * 10 + next
            }
            return value
        }

        /// Nanoseconds are as fine as it gets; what follows them is passed over.
        mutating func fraction() -> Double? {
            guard take(".") else { return 0 }
            var value = 0
            var count = 0
            while let next = digit() {
                if count < 9 { value = value * 10 + next }
                count += 1
            }
            guard count > 0 else { return nil }
            var scale = 1.0
            for _ in 0..<min(count, 9) { scale *= 10 }
            return Double(value) / scale
        }

        /// Seconds east of Greenwich.
        mutating func offset() -> Int? {
            if take("Z") { return 0 }
            let isEast = take("+")
            guard isEast || take("-"), let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            let seconds = hours * 3600 + minutes * 60
            return isEast ? seconds : -seconds
        }
    }
}

extension Date {
    /// The last millisecond that is written, at the end of the year 9999.
    static let lastMillisecond: Int64 = 253_402_300_799_999

    /// Milliseconds since 1970, rounded; a time before 1970 or after 9999 is taken for the nearest.
    var unixMilliseconds: Int64 {
        // A clock can be set to anything. In this order not-a-number becomes 0, too.
        let milliseconds = max(0, (timeIntervalSince1970 * 1000).rounded())
        return Int64(min(Double(Self.lastMillisecond), milliseconds))
    }

    /// A time in milliseconds since 1970.
    init(unixMilliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(unixMilliseconds) / 1000)
    }
}
