import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which servers want to be left alone, and until when (`Retry-After`, RFC 9110, section 10.2.3).
actor ServerPauses {
    private var ends: [ServerID: Duration] = [:]

    /// What is left of a server's pause; `nil` if there is none.
    func rest(at server: ServerID, elapsed: Duration) -> Duration? {
        guard let end = ends[server] else { return nil }
        guard end > elapsed else {
            ends[server] = nil
            return nil
        }
        return end - elapsed
    }

    /// Learns from a reply; one without the field ends nothing.
    func note(_ response: HTTPResponse, from server: ServerID, at elapsed: Duration, now: Date?) {
        guard [429, 500, 502, 503, 504].contains(response.status.code),
            let pause = Self.pause(in: response, now: now)
        else { return }
        ends[server] = max(ends[server] ?? .zero, elapsed + pause)
    }

    /// How long a reply asks to wait: seconds, or a date, which is compared with the reply's own or
    /// with what is known of the server's clock; this device's may be set to anything.
    ///
    /// - Returns: At most a day, as what is longer can't be meant for a login; `nil` if it doesn't
    ///   ask, or isn't understood.
    private static func pause(in response: HTTPResponse, now: Date?) -> Duration? {
        guard let text = response.headerFields[.retryAfter] else { return nil }
        let day = 86_400.0
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Double(text) ?? day, day))
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        guard let base = response.headerFields[.date].flatMap(HTTPDate.parse) ?? now else {
            return nil
        }
        return .seconds(min(max(0, date.timeIntervalSince(base)), day))
    }
}
