public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a reply says of itself, whosever word it is: firewalls, portals and maintenance pages answer as well, with any status.
extension HTTPResponse {
    /// Whether the reply's body may be JSON: its media type is JSON's (RFC 8259 section 11, RFC
    /// 6839 section 3.1), or it has none.
    public var mayHoldJSON: Bool {
        guard let field = headerFields[.contentType] else { return true }
        // Bytes: what a stranger writes may have a million marks in one `Character`.
        let type = field.utf8.prefix { $0 != 0x3B }.filter { $0 != 0x20 && $0 != 0x09 }
            .map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        return type.isEmpty || type.elementsEqual("application/json".utf8)
            || type.suffix(5).elementsEqual("+json".utf8)
    }

    /// When the reply was made, by its server's clock (RFC 9110 section 6.6.1).
    ///
    /// - Parameter present: About now, which tells the century of an old form.
    /// - Returns: The date; `nil` if it is missing or in no form of HTTP's.
    public func date(near present: Date) -> Date? {
        headerFields[.date].flatMap { HTTPDate.parse($0, near: present) }
    }

    /// The pause that the reply asks for (RFC 9110 section 10.2.3): seconds, or a date, which is
    /// compared with the reply's own.
    ///
    /// - Parameters:
    ///   - now: The server's time, if known, for a reply without a date of its own.
    ///   - present: About now, which tells the century of an old form.
    /// - Returns: At most a day; `nil` if the reply asks for none, or isn't understood.
    public func pause(at now: Date?, near present: Date) -> Duration? {
        guard [429, 500, 502, 503, 504].contains(status.code),
            let text = headerFields[.retryAfter]
        else { return nil }
        let day = SharedPause.longest
        if let seconds = text.deltaSeconds { return .seconds(min(Double(seconds), day)) }
        guard let end = HTTPDate.parse(text, near: present),
            let base = date(near: present) ?? now
        else { return nil }
        return .seconds(min(max(0, end.timeIntervalSince(base)), day))
    }
}

extension StringProtocol {
    /// Seconds as HTTP's fields have them (RFC 9111 section 1.2.2): digits; a billion for more.
    package var deltaSeconds: Int64? {
        guard !isEmpty, utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Swift.min(Int64(self) ?? 1_000_000_000, 1_000_000_000)
    }
}

extension PushError {
    /// The error for a reply in a form that its vendor doesn't document: nobody's word.
    ///
    /// - Parameters:
    ///   - status: The reply's status. The error's code is `interrupted` for 2xx, because nobody
    ///     knows whether the vendor got the request; else `server`.
    ///   - reason: For developers, without anything from the reply.
    /// - Returns: The error.
    public static func unexplained(status: Int, _ reason: String) -> PushError {
        PushError(200..<300 ~= status ? .interrupted : .server(status: status), reason)
    }
}
