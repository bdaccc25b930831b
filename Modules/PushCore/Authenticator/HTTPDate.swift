#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The date format of HTTP (RFC 9110, section 5.6.7: IMF-fixdate, which every server must send).
enum HTTPDate {
    /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for anything else.
    static func parse(_ text: String) -> Date? {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 6, weekdays.contains(String(parts[0].dropLast()) ?? ""),
            parts[0].last == UInt8(ascii: ","), parts[5].elementsEqual("GMT".utf8),
            let day = number(parts[1], digits: 2), let year = number(parts[3], digits: 4),
            let month = months.firstIndex(of: String(parts[2]) ?? "")
        else { return nil }
        let time = parts[4].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], digits: 2), hour < 24,
            let minute = number(time[1], digits: 2), minute < 60,
            let second = number(time[2], digits: 2), second <= 60,
            (1...daysInMonth(month + 1, of: year)).contains(day)
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month + 1, day: day)
        return Date(
            timeIntervalSince1970: Double(days * 86400 + hour * 3600 + minute * 60 + second))
    }

    private static let weekdays: Set = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: Substring.UTF8View, digits count: Int) -> Int? {
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(String(Substring(digits)))
    }

    private static func daysInMonth(_ month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1 January 1970 in the proleptic Gregorian calendar, counting years from March so
    /// that the leap day is the last of its year.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let monthsSinceMarch = (month + 9) % 12
        let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
