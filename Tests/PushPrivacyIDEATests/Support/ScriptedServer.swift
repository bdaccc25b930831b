import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushJOSE
import PushTesting

@testable import PushPrivacyIDEA

/// A server as far as these tests need it: it says what the test wants.
typealias ScriptedServer = StandInServer<PrivacyIDEAScript>

struct PrivacyIDEAScript: ServerScript {
    /// The requests that a device makes.
    enum Kind: Hashable { case enroll, poll, token, answer }

    private let clock: ManualClock
    fileprivate var waiting: [JSON] = []

    /// How far its clock is ahead of the device's monotonic one; it tells no time if `nil`.
    fileprivate var ahead: Duration?

    /// The server key of each host, as the server writes it.
    fileprivate var keys: [String: String] = [:]

    init(clock: ManualClock) { self.clock = clock }

    var date: String? {
        ahead.map { httpDate(Sample.now + (clock.elapsed + $0) / .seconds(1)) }
    }

    static func kind(of request: HTTPRequest, _ body: Data) -> Kind? {
        guard request.method == .post else { return .poll }
        let form = FormText(String(decoding: body, as: UTF8.self))
        if form?["enrollment_credential"] != nil { return .enroll }
        return form?["new_fb_token"] == nil ? .answer : .token
    }

    func reply(to kind: Kind?, _ request: HTTPRequest, _ body: Data) -> ScriptedReply {
        switch kind {
        case .poll?: return .value(.array(waiting))
        case .token?, .answer?: return .value(true)
        case .enroll?:
            let form = FormText(String(decoding: body, as: UTF8.self))
            let key = keys[request.authority ?? ""] ?? ""
            return .value(
                true,
                detail: [
                    "public_key": .string(key), "rollout_state": "enrolled",
                    "serial": .string(form?["serial"] ?? ""),
                ])
        case nil: return .page(404)
        }
    }
}

extension ScriptedReply {
    static func value(_ value: JSON, detail: JSON? = nil) -> ScriptedReply {
        var body: JSON.Object = [
            "id": 1, "jsonrpc": "2.0", "result": ["status": true, "value": value],
            "signature": "rsa_sha256_pss:00",
        ]
        body["detail"] = detail
        return .json(.object(body))
    }

    static func error(_ status: Int, _ code: Int64) -> ScriptedReply {
        let error: JSON = ["code": .number(.init(code)), "message": "…"]
        let body: JSON = [
            "detail": nil, "id": 1, "jsonrpc": "2.0",
            "result": ["status": false, "error": error],
        ]
        return .json(body, status: status)
    }
}

extension StandInServer<PrivacyIDEAScript> {
    /// What its list has from now on.
    func list(_ challenges: JSON...) { script.waiting = challenges }

    func setKey(_ text: String, of host: String) { script.keys[host] = text }

    /// Makes replies tell the time by a clock that is ahead of the device's monotonic one.
    func tellTime(ahead: Duration) { script.ahead = ahead }
}
