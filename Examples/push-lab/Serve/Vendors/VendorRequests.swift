import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator

/// What devices ask each vendor, in words that all vendors share.
enum VendorRequests {
    static func forgeRock(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let query = (request.path ?? "").split(separator: "?", maxSplits: 1).last ?? ""
        let names = ["register": "registration", "authenticate": "answer", "refresh": "refresh"]
        let name = query.split(separator: "&").lazy
            .compactMap { names[String($0.replacing("_action=", with: ""))] }.first
        return RequestReading(name, of: request, body)
    }

    static func plusAuth(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let name: String? =
            switch path(of: request).last {
            case "enroll": "registration"
            case "resolve", "resolve-challenge": "answer"
            default: nil
            }
        return RequestReading(name, of: request, body)
    }

    static func xignIn(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let path = path(of: request)
        let name: String? =
            switch path.last {
            case "personalizations": "registration"
            case "push-token": "device token"
            case "manager-keys": "server keys"
            case "initialization": "question"
            case "start": "start of an answer"
            case "finish": "answer"
            case "reject": "denial"
            default: request.method == .delete && path.contains("activations") ? "removal" : nil
            }
        return RequestReading(name, of: request, body)
    }

    /// The type and the sender stand in the clear at the head of a command.
    static func oneSpan(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        guard let command = (try? JSON(parsing: body))?["command"]?.string?.lowercased(),
            command.utf8.count >= 48
        else { return RequestReading(nil, of: request, body) }
        let digits = Array(command)
        let names = [
            "01": "registration, step 1", "03": "registration, step 2",
            "05": "registration, step 3", "07": "registration, step 4", "10": "device token",
            "21": "question", "23": "answer", "31": "question", "33": "answer", "40": "new PIN",
        ]
        return RequestReading(
            names[String(digits[10..<12])], of: request, body, and: [String(digits[16..<48])])
    }

    /// What a device names itself by before it has an identifier.
    static func oneSpanHandle(of user: String, in domain: String) -> String {
        let text = Data("OOC1 reg".utf8) + [0] + Data(domain.utf8) + [0] + Data(user.utf8)
        return Data(SHA256.hash(data: text)).prefix(16)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func powerAuth(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let path = (request.path ?? "").prefix { $0 != "?" }
        let call = PowerAuthSimulator.Call(rawValue: String(path))
        return RequestReading(call?.words, of: request, body)
    }

    /// Whose request a form is, its `serial` says.
    static func privacyIDEA(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let form = String(decoding: body, as: UTF8.self).split(separator: "&")
        let has = { (name: String) in form.contains { $0.hasPrefix(name + "=") } }
        let name =
            if request.method != .post {
                "list of questions"
            } else if has("enrollment_credential") {
                "registration"
            } else if has("new_fb_token") {
                "device token"
            } else {
                has("decline") ? "denial" : "answer"
            }
        let values = form.compactMap {
            $0.split(separator: "=").last?.description.removingPercentEncoding
        }
        return RequestReading(name, of: request, body, and: values)
    }

    private static func path(of request: HTTPRequest) -> [Substring] {
        (request.path ?? "").prefix { $0 != "?" }.split(separator: "/")
    }
}

extension PowerAuthSimulator.Call {
    fileprivate var words: String {
        switch self {
        case .keystore: "temporary key"
        case .activation: "registration"
        case .status: "refresh"
        case .removal: "removal"
        case .tokenCreation: "access token"
        case .tokenRemoval: "end of an access token"
        case .validation: "check of a signature"
        case .vault: "unlocking"
        case .time: "server time"
        case .registration, .olderRegistration: "device token"
        case .list: "list of questions"
        case .detail: "question"
        case .claim: "claim of a question"
        case .history: "history"
        case .authorize: "answer"
        case .cancel: "denial"
        case .inboxCount, .inboxList, .inboxDetail, .inboxRead, .inboxReadAll: "inbox"
        }
    }
}
