#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The three forms of a date that HTTP has (RFC 9110 section 5.6.7): one that is sent today, and two that
/// must be read.
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    /// `Sun Nov  6 08:49:37 1994`. A year of two digits is within 50 years after `present`, or before.
    static func parse(_ text: String, near present: Date) -> Date? {
        // None is longer, and what is split by `split` is copied.
        guard text.utf8.count <= 33 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        switch parts.count {
        case 6 where parts[5].elementsEqual("GMT".utf8) && parts[0].last == UInt8(ascii: ","):
            guard let weekday = String(parts[0].dropLast()), weekdays.contains(weekday),
                let year = number(parts[3], digits: 4)
            else { return nil }
            return date(number(parts[1], digits: 2), parts[2], year, parts[4])
        case 4 where parts[3].elementsEqual("GMT".utf8) && parts[0].last == UInt8(ascii: ","):
            let day = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard let weekday = String(parts[0].dropLast()), longWeekdays.contains(weekday),
                day.count == 3, let year = number(day[2], digits: 2)
            else { return nil }
            return inFifty(of: present, year) {
                date(number(day[0], digits: 2), day[1], $0, parts[2])
            }
        case 5, 6:
            // A day of one digit stands after a blank.
            let isShort = parts.count == 6 && parts[2].isEmpty
            guard let weekday = String(parts[0]), weekdays.contains(weekday),
                parts.count == 5 || isShort, let last = parts.last,
                let year = number(last, digits: 4)
            else { return nil }
            let day = number(parts[isShort ? 3 : 2], digits: isShort ? 1 : 2)
            return date(day, parts[1], year, parts[parts.count - 2])
        default: return nil
        }
    }

    /// The last of the years that end so which isn't more than 50 years away.
    private static func inFifty(
        of present: Date, _ ending: Int, _ date: (Int) -> Date?
    ) -> Date? {
        let year = 365.2425 * 86_400
        let latest = present.addingTimeInterval(50 * year)
        let century = (1970 + Int(latest.timeIntervalSince1970 / year)) / 100
        for candidate in [century * 100 + ending, (century - 1) * 100 + ending] {
            if let date = date(candidate), date <= latest { return date }
        }
        return nil
    }

    private static func date(
        _ day: Int?, _ monthName: Substring.UTF8View, _ year: Int, _ time: Substring.UTF8View
    ) -> Date? {
        guard let day, let month = months.firstIndex(of: String(monthName) ?? "") else {
            return nil
        }
        let first = daysSinceEpoch(year: year, month: month + 1)
        let time = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], digits: 2), hour < 24,
            let minute = number(time[1], digits: 2), minute < 60,
            let second = number(time[2], digits: 2), second <= 60,
            day >= 1, first + day <= daysSinceEpoch(year: year, month: month + 2)
        else { return nil }
        let seconds = (first + day - 1) * 86400 + hour * 3600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static let weekdays: Set = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longWeekdays: Set = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: Substring.UTF8View, digits count: Int) -> Int? {
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(String(Substring(digits)))
    }

    /// Days from 1 January 1970 to the first of a month, from 1 to 13, in the proleptic Gregorian
    /// calendar, counting years from March so that the leap day is the last of its year.
    private static func daysSinceEpoch(year: Int, month: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let monthsSinceMarch = (month + 9) % 12
        let dayOfYear = (153 * monthsSinceMarch + 2) / 5
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
