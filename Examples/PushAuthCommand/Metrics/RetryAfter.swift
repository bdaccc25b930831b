import Foundation
import HTTPTypes

/// How long a reply asks to be left alone (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// - Parameters:
    ///   - response: The reply.
    ///   - now: The time here, for a date beside which the reply has none of its own.
    /// - Returns: At most a day; `nil` if it doesn't ask.
    static func pause(in response: HTTPResponse, at now: Date) -> Duration? {
        guard [429, 500, 502, 503, 504].contains(response.status.code),
            let text = response.headerFields[.retryAfter]
        else { return nil }
        let day = 86_400.0
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Double(text) ?? day, day))
        }
        guard let end = date(text) else { return nil }
        let base = response.headerFields[.date].flatMap(date) ?? now
        return .seconds(min(max(0, end.timeIntervalSince(base)), day))
    }

    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
