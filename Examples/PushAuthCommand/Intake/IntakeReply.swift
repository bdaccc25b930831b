import Foundation
import HTTPTypes
import PushCore

/// What a push service answers, and the push that it accepted with that, if any.
struct IntakeReply: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]
    var body: JSON?
    var push: QueuedPush?

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
    /// The path without its query, with its escapes resolved; `nil` if they can't be.
    var plainPath: String? {
        (path ?? "").prefix { $0 != "?" }.removingPercentEncoding
    }

    /// What `Authorization` holds after a scheme, whose case doesn't matter (RFC 9110, 11.1).
    func credential(_ scheme: String) -> String? {
        guard let value = headerFields[.authorization] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == scheme.lowercased() else { return nil }
        return String(parts[1])
    }

    /// The media type of the body, without its parameters.
    var mediaType: String? {
        headerFields[.contentType].map {
            String($0.prefix { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
        }
    }
}
