import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reply on its way out.
struct ServiceReply {
    let status: HTTPResponse.Status
    /// `nil` for none.
    let body: JSON?

    init(_ status: Int = 200, _ body: JSON?) {
        self.status = HTTPResponse.Status(code: min(max(status, 100), 599))
        self.body = body
    }

    /// A reply that isn't success. The wording of the body, 409 aside, is UNCONFIRMED.
    static func failure(_ status: Int, _ message: String) -> ServiceReply {
        ServiceReply(status, ["error": .string(reason(of: status)), "message": .string(message)])
    }

    init(_ refusal: ServiceRefusal) {
        self = .failure(refusal.status, refusal.message)
    }

    /// The reason for a status (RFC 9110, section 15).
    private static func reason(of status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Unknown"
        }
    }

    func http(correlation: String) -> SimulatedReply {
        var response = HTTPResponse(status: status)
        if let name = HTTPField.Name("log-correlation-id") {
            response.headerFields[name] = correlation
        }
        guard let body else { return SimulatedReply(response: response, body: Data()) }
        response.headerFields[.contentType] = "application/json"
        return SimulatedReply(response: response, body: body.data)
    }
}

/// Why a service of the platform does nothing.
struct ServiceRefusal: Error {
    let status: Int
    let message: String

    /// Status and wording are UNCONFIRMED.
    static let notFound = ServiceRefusal(status: 404, message: "Resource not found")
    /// Status and wording are UNCONFIRMED.
    static let wrongMethod = ServiceRefusal(status: 405, message: "Method not allowed")
    /// Status and wording are UNCONFIRMED.
    static let unknownUser = ServiceRefusal(status: 404, message: "User not found")
    static let userLocked = ServiceRefusal(status: 409, message: "User is locked")
    static let userDisabled = ServiceRefusal(status: 409, message: "User is disabled")
    static let userRefused = ServiceRefusal(status: 409, message: "User refused")
    static let timedOut = ServiceRefusal(status: 409, message: "Timed out")
    static let authenticationFailed = ServiceRefusal(
        status: 409, message: "Authentication failed")
    static let noApplicableDevice = ServiceRefusal(
        status: 409,
        message: "Failed to send push notification. No applicable digipass found. "
            + "Instance should have both a PNID and a secure channel set")
    static let noPush = ServiceRefusal(
        status: 409, message: "Failed to send push notification.")
    static let internalError = ServiceRefusal(status: 500, message: "Internal server error")

    /// The wording is UNCONFIRMED.
    static func badRequest(_ message: String) -> ServiceRefusal {
        ServiceRefusal(status: 400, message: message)
    }
}
