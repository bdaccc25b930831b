import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reply that isn't success, as AM's REST layer words it.
struct Refusal: Error {
    let status: Int
    let message: String

    /// The one reply to whatever a device gets wrong.
    static let badRequest = Refusal(status: 400, message: "Bad request.")

    /// What an uncaught exception becomes. UNCONFIRMED: neither status nor message could be read.
    static let internalError = Refusal(status: 500, message: "Internal Server Error")

    static let noPushService = Refusal(
        status: 404, message: "Cannot find Push Notification Service.")

    /// An unknown path. The wording is UNCONFIRMED.
    static let notFound = Refusal(status: 404, message: "Resource not found")

    /// Anything but POST. Status and wording are UNCONFIRMED.
    static let wrongMethod = Refusal(status: 405, message: "Method not allowed")

    /// An action this release doesn't have. Status and wording are UNCONFIRMED.
    static let unsupportedAction = Refusal(status: 501, message: "Action not supported")

    /// A resource version other than 1. Status and wording are UNCONFIRMED.
    static let wrongVersion = Refusal(
        status: 404, message: "Resource version in Accept-API-Version not supported")
}

/// A reply on its way out.
struct ServerReply {
    let status: HTTPResponse.Status
    let body: JSON

    static let success = ServerReply(status: .ok, body: [:])

    private init(status: HTTPResponse.Status, body: JSON) {
        self.status = status
        self.body = body
    }

    init(_ refusal: Refusal) {
        status = HTTPResponse.Status(code: min(max(refusal.status, 100), 599))
        body = [
            "code": .integer(status.code),
            "reason": .string(Self.reason(of: status.code)),
            "message": .string(refusal.message),
        ]
    }

    /// The reason for a status (RFC 9110, section 15), as AM writes it into the body.
    private static func reason(of status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Unknown"
        }
    }

    var http: SimulatedReply {
        var reply = SimulatedReply(
            status: status, type: "application/json;charset=UTF-8", body: body.data)
        if status == .ok, let version = HTTPField.Name("Content-API-Version") {
            reply.response.headerFields[version] = "resource=1.0"
        }
        return reply
    }
}
