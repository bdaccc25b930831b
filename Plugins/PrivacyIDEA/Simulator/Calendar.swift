import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Times as requests and replies write them, in UTC.
enum Calendar {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The form of a `Date` header (RFC 9110 section 5.6.7).
    static func httpDate(_ date: Date) -> String {
        let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = Int(seconds - Int64(day) * 86_400)
        let text = date.formatted(.iso8601.year().month().day())
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return "" }
        let weekday = days[((day % 7) + 7) % 7]
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map(twoDigits)
        return "\(weekday), \(twoDigits(parts[2])) \(months[parts[1] - 1]) \(parts[0]) "
            + clock.joined(separator: ":") + " GMT"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// A moment in a form of ISO 8601: with or without a fraction, `Z` or an offset. Without either of
    /// the two it is taken as UTC; UNCONFIRMED.
    static func date(iso8601 text: String) -> Date? {
        var text = text.replacing(" ", with: "T")
        var fraction = 0.0
        if let point = text.firstIndex(of: ".") {
            let digits = text[text.index(after: point)...].prefix { "0"..."9" ~= $0 }
            guard let value = Double("0." + digits), !digits.isEmpty else { return nil }
            fraction = value
            text.removeSubrange(point..<digits.endIndex)
        }
        let hasZone = text.hasSuffix("Z") || text.dropFirst(19).contains { "+-".contains($0) }
        return (try? Date(hasZone ? text : text + "Z", strategy: .iso8601)).map { $0 + fraction }
    }
}
