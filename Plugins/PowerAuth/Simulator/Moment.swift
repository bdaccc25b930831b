import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Times as the interfaces write them, each in its own way.
enum Moment {
    /// A moment as devices write it, such as `2024-10-11T09:15:02Z`, with or without a fraction.
    static func date(_ text: String?) -> Date? {
        guard let text else { return nil }
        let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: precise))
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Such as `2018-07-02T14:43:13+0000`.
    static func operation(_ milliseconds: Int64) -> String {
        // The style rounds, the servers cut.
        let whole = milliseconds / 1000 * 1000
        return String(date(whole).formatted(.iso8601).dropLast()) + "+0000"
    }

    /// Such as `2022-08-25T22:34:58.702+00:00`.
    static func message(_ milliseconds: Int64) -> String {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Half a millisecond more, as binary fractions may lie below the decimal one.
        let text = (date(milliseconds) + 0.0001).formatted(style)
        return String(text.dropLast()) + "+00:00"
    }
}

extension PowerAuthSimulator.Configuration {
    /// The server's time, in milliseconds since 1970.
    var now: Int64 {
        Int64(exactly: (clock.now.timeIntervalSince1970 * 1000).rounded(.down)) ?? 0
    }
}
