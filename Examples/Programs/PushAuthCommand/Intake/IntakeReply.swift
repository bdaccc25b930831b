import Foundation
import HTTPTypes
import PushCore

/// What a push service answers, and the push that it accepted with that, if any.
struct IntakeReply: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]
    var body: JSON?
    var push: QueuedPush?

    /// Whether the request came with a credential that is good, whatever else is wrong with it.
    var isAuthorized = false

    /// As a server sends it.
    var response: (response: HTTPResponse, body: Data) {
        var fields = headers
        if body != nil { fields[.contentType] = "application/json" }
        return (HTTPResponse(status: status, headerFields: fields), body?.data ?? Data())
    }
}

/// A push that was accepted, with its sender's wishes.
struct QueuedPush: Sendable {
    var push: IncomingPush

    /// The moment after which nobody wants it any more.
    var expiry: Date?

    /// Of the pushes with one name that wait, the last counts.
    var collapse: String?

    /// Whether it goes before those that aren't.
    var isUrgent = false
}

extension HTTPRequest {
    /// The path without its query, with its escapes resolved; `nil` if they can't be, or aren't of ASCII,
    /// as all paths here are.
    var plainPath: String? {
        let plain = (path ?? "").start(before: "?").removingPercentEncoding
        return plain.flatMap { $0.utf8.allSatisfy { $0 < 0x80 } ? $0 : nil }
    }

    /// What `Authorization` holds after a scheme, whose case doesn't matter (RFC 9110, 11.1).
    func credential(_ scheme: String) -> String? {
        guard let value = headerFields[.authorization] else { return nil }
        guard case let (name, rest?) = value.cut(at: " "), name.asciiWord == scheme.asciiWord
        else { return nil }
        return String(Substring(rest.utf8.drop { $0 == 0x20 }))
    }

    /// The media type of the body, without its parameters; empty if it isn't one.
    var mediaType: String? {
        headerFields[.contentType].map { field in
            let type = field.start(before: ";")
            guard type.utf8.allSatisfy({ $0 < 0x80 }) else { return "" }
            return String(type).trimmingCharacters(in: .whitespaces).lowercased()
        }
    }
}
