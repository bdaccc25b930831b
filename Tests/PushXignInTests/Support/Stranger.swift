import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// What somebody between phone and manager answers in the manager's place.
enum Stranger: Sendable, CaseIterable {
    /// A gateway's page.
    case page
    case nothing
    /// JSON of somebody else's form.
    case json
    /// The manager's own words, unsigned.
    case words
    /// The manager's own words, signed by a stranger under the manager's name.
    case signed
    /// The manager's own words and signature, about another request.
    case elsewhere

    static let statuses = [
        200, 201, 204, 302, 400, 401, 403, 404, 405, 409, 410, 418, 422, 426, 429, 500, 502, 503,
        504,
    ]

    /// The word that would do most harm with a status.
    private static func refusal(_ status: Int, _ call: Manager.Call) -> Manager.Refusal {
        let isPersonalizing = call == .personalization
        let word =
            switch status {
            case 400: "factors_missing"
            case 401: "invalid_device_signature"
            case 403: "activation_locked"
            case 404: isPersonalizing || call == .token ? "activation_unknown" : "process_unknown"
            case 409: isPersonalizing ? "activation_used" : "process_finished"
            case 410: isPersonalizing ? "activation_expired" : "process_cancelled"
            case 426: "api_version_unsupported"
            default: "no_such_word"
            }
        let lockout: JSON = [
            "kind": "pending", "seconds": 600, "remaining": nil, "permanent": false,
        ]
        return Manager.Refusal(
            status, word, ["lockout": lockout, "result": ["type": "rejected"], "token_set": false])
    }

    func reply(
        _ status: Int, to request: Manager.Request, of manager: isolated Manager
    ) -> (response: HTTPResponse, body: Data) {
        let refusal = Self.refusal(status, request.call)
        func plain(_ type: String, _ text: String) -> (response: HTTPResponse, body: Data) {
            let fields: HTTPFields = [.contentType: type]
            return (
                HTTPResponse(status: .init(code: status), headerFields: fields), Data(text.utf8)
            )
        }
        return switch self {
        case .page: plain("text/html", "<html><body><h1>\(status)</h1></body></html>")
        case .nothing: plain("text/plain", "")
        case .json: plain("application/json", #"{"status":"ERROR","code":\#(status)}"#)
        case .words: manager.unsigned(status, refusal.name)
        case .signed: manager.signed(request, refusal, .otherKey)
        case .elsewhere: manager.signed(request, refusal, .otherRequest)
        }
    }
}
