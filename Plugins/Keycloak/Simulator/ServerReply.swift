import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reply that isn't success. Its text is the whole distinction between many of them.
struct Refusal: Error {
    let status: Int
    let error: String
    var description: String?

    init(_ status: Int, _ error: String, _ description: String? = nil) {
        self.status = status
        self.error = error
        self.description = description
    }

    static func missing(_ name: String) -> Refusal { Refusal(400, "Missing field: \(name)") }
    static func tooLong(_ name: String) -> Refusal { Refusal(400, "Field too long: \(name)") }
    static func notUUID(_ name: String) -> Refusal { Refusal(400, "Invalid UUID field: \(name)") }

    static func badAlgorithm(_ name: String?, of token: String) -> Refusal {
        Refusal(400, "Unsupported \(token) algorithm: \(name ?? "null")")
    }

    /// At the token endpoint, in the words of RFC 6749 and Keycloak's own.
    static func badProof(_ description: String) -> Refusal {
        Refusal(400, "invalid_request", description)
    }

    static let noBody = Refusal(400, "Request body required")
    static let badKey = Refusal(400, "Unable to parse JWK")
    static let userNotFound = Refusal(404, "User not found")
    static let challengeNotFound = Refusal(404, "Challenge not found")
    static let resolved = Refusal(400, "Challenge already resolved or expired")
    static let noResource = Refusal(404, "HTTP 404 Not Found")
    static let wrongMethod = Refusal(405, "HTTP 405 Method Not Allowed")
    static let broken = Refusal(500, "unknown_error")
}

/// A reply on its way out.
struct ServerReply: Sendable {
    private(set) var status: Int
    private var headers: HTTPFields = [:]
    private let body: Data

    init(_ status: Int, type: String, _ body: Data) {
        self.status = status
        self.body = body
        headers[.contentType] = type
    }

    init(json: JSON) {
        self.init(200, type: "application/json", json.data)
    }

    /// A status word, as the calls of a device have it.
    init(status word: String) {
        self.init(json: ["status": .string(word)])
    }

    /// A page for people.
    init(pageWith status: Int, _ text: String = "We are sorry...") {
        let page = "<!DOCTYPE html><title>\(status)</title><h1>\(text)</h1>"
        self.init(status, type: "text/html;charset=utf-8", Data(page.utf8))
    }

    /// A refusal: JSON, or a page if the client would rather have HTML.
    init(_ refusal: Refusal, to request: HTTPRequest) {
        if request.headerFields[.accept]?.hasPrefix("text/html") == true {
            self.init(pageWith: refusal.status)
            return
        }
        var members: JSON.Object = ["error": .string(refusal.error)]
        members["error_description"] = refusal.description.map(JSON.string)
        self.init(refusal.status, type: "application/json", JSON.object(members).data)
    }

    func with(_ name: HTTPField.Name, _ value: String) -> ServerReply {
        var reply = self
        reply.headers[name] = value
        return reply
    }

    var http: (response: HTTPResponse, body: Data) {
        (HTTPResponse(status: .init(code: status), headerFields: headers), body)
    }
}

extension Date {
    /// The form of a `Date` header (RFC 9110, section 5.6.7).
    var httpText: String {
        let names = (
            days: ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"],
            months: [
                "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
            ]
        )
        // "2026-11-28T17:08:49Z", in UTC.
        let parts = formatted(.iso8601).split { !$0.isNumber }
        guard parts.count == 6, let month = Int(parts[1]), names.months.indices ~= month - 1
        else { return "" }
        let day = Int((timeIntervalSince1970 / 86_400).rounded(.down))
        return "\(names.days[(day % 7 + 7) % 7]), \(parts[2]) \(names.months[month - 1]) "
            + "\(parts[0]) " + parts[3...].joined(separator: ":") + " GMT"
    }
}
