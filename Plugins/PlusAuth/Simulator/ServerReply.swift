import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reply that isn't success, in the documented words.
///
/// Which of them the push endpoints really use is UNCONFIRMED: the list is the REST interface's.
struct Rejection: Error {
    let status: Int
    let error: String
    let description: String
    var retryAfter: Int?
    /// Where an XHR is told to go.
    var location: String?

    static func invalidRequest(_ description: String) -> Rejection {
        Rejection(status: 400, error: "invalid_request", description: description)
    }

    static func invalidEntity(_ description: String) -> Rejection {
        Rejection(status: 422, error: "invalid_entity", description: description)
    }

    static func unauthorized(_ error: String, _ description: String) -> Rejection {
        Rejection(status: 401, error: error, description: description)
    }

    static let notFound = Rejection(
        status: 404, error: "entity_not_found", description: "There is nothing here.")

    static let wrongMethod = Rejection(
        status: 405, error: "invalid_request", description: "The method isn't allowed here.")

    static func late(_ refusal: PlusAuthSimulator.Configuration.Refusal) -> Rejection {
        Rejection(
            status: refusal.rawValue, error: word(for: refusal.rawValue),
            description: "The challenge is over.")
    }

    static func tooManyRequests(wait seconds: Double) -> Rejection {
        Rejection(
            status: 429, error: word(for: 429), description: "Too many requests.",
            retryAfter: max(Int(seconds.rounded(.up)), 1))
    }

    /// What the login page is told; all of it by one status, which is UNCONFIRMED.
    static func page(_ error: String, _ description: String) -> Rejection {
        Rejection(status: 400, error: error, description: description)
    }

    /// The documented word for a status.
    static func word(for status: Int) -> String {
        switch status {
        case 401: "unauthorized_user"
        case 402: "plan_limit_exceeded"
        case 404: "entity_not_found"
        case 409: "already_exists"
        case 422: "invalid_entity"
        case 429: "too_many_requests"
        case 500...: "server_error"
        default: "invalid_request"
        }
    }
}

/// A reply on its way out.
struct ServerReply {
    var status: HTTPResponse.Status
    private var headers: HTTPFields = [:]
    private let body: Data

    /// Success. The documentation shows no body, so this one has none that means anything.
    static let success = ServerReply(json: [:])

    init(json: JSON) {
        status = .ok
        headers[.contentType] = "application/json"
        body = json.data
    }

    init(redirectingTo location: String) {
        status = .found
        headers[.location] = location
        body = Data()
    }

    init(strangers page: String, _ type: String, status: Int) {
        self.status = HTTPResponse.Status(code: status)
        headers[.contentType] = type
        body = Data(page.utf8)
    }

    init(_ rejection: Rejection, as form: PlusAuthSimulator.Configuration.ErrorBody) {
        status = HTTPResponse.Status(code: rejection.status)
        if let seconds = rejection.retryAfter { headers[.retryAfter] = "\(seconds)" }
        guard form != .plainText else {
            headers[.contentType] = "text/plain"
            body = Data(rejection.description.utf8)
            return
        }
        headers[.contentType] = "application/json"
        var members: JSON.Object = [
            "error": .string(rejection.error), "error_description": .string(rejection.description),
            "status": form == .statusAsNumber
                ? .integer(rejection.status) : .string("\(rejection.status)"),
        ]
        members["location"] = rejection.location.map(JSON.string)
        body = JSON.object(members).data
    }

    var http: SimulatedReply {
        SimulatedReply(
            response: HTTPResponse(status: status, headerFields: headers), body: body)
    }
}
