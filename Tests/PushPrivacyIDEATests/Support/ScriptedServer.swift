import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushJOSE
import PushTesting

@testable import PushPrivacyIDEA

/// A server as far as these tests need it: it says what the test wants.
actor ScriptedServer {
    /// The requests that a device makes.
    enum Kind: Hashable { case enroll, poll, token, answer }

    struct Reply: Sendable {
        var status = 200
        var body: String

        static func value(_ value: JSON, detail: JSON? = nil) -> Reply {
            var body: JSON.Object = [
                "id": 1, "jsonrpc": "2.0", "result": ["status": true, "value": value],
                "signature": "rsa_sha256_pss:00",
            ]
            body["detail"] = detail
            return Reply(body: JSON.object(body).text)
        }

        static func error(_ status: Int, _ code: Int64) -> Reply {
            let error: JSON = ["code": .number(.init(code)), "message": "…"]
            let body: JSON = [
                "detail": nil, "id": 1, "jsonrpc": "2.0",
                "result": ["status": false, "error": error],
            ]
            return Reply(status: status, body: body.text)
        }

        /// What a gateway or a portal says.
        static func page(_ status: Int) -> Reply {
            Reply(status: status, body: "<html><body>Try later</body></html>")
        }
    }

    private let clock: ManualClock
    private var queued: [Kind: [Reply]] = [:]
    private var always: [Kind: Reply] = [:]
    private var waiting: [JSON] = []
    private var ahead: Duration?
    private var hook: (@Sendable () async -> Void)?

    /// The server key of each host, as the server writes it.
    private var keys: [String: String] = [:]

    init(clock: ManualClock) { self.clock = clock }

    /// What the next requests of a kind get, in order; whatever follows gets the usual reply.
    func reply(to kind: Kind, _ replies: Reply...) { queued[kind, default: []] += replies }

    func replyAlways(to kind: Kind, _ reply: Reply?) { always[kind] = reply }

    /// What its list has from now on.
    func list(_ challenges: JSON...) { waiting = challenges }

    func setKey(_ text: String, of host: String) { keys[host] = text }

    /// Makes replies tell the time by a clock that is ahead of the device's monotonic one.
    func tellTime(ahead: Duration) { self.ahead = ahead }

    /// What happens while the server works on the next request, once it knows its reply.
    func whileWorking(_ hook: @escaping @Sendable () async -> Void) { self.hook = hook }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let reply = reply(to: request, body)
        let hook = hook
        self.hook = nil
        await hook?()
        return reply
    }

    private func reply(
        to request: HTTPRequest, _ body: Data
    ) -> (response: HTTPResponse, body: Data) {
        let kind = Self.kind(of: request, body)
        let reply =
            if queued[kind]?.isEmpty == false {
                queued[kind]?.removeFirst() ?? .page(500)
            } else {
                always[kind] ?? usual(kind, request, body)
            }
        var fields: HTTPFields = [.contentType: "application/json"]
        if let ahead {
            fields[.date] = httpDate(Sample.now + (clock.elapsed + ahead) / .seconds(1))
        }
        return (
            HTTPResponse(status: .init(code: reply.status), headerFields: fields),
            Data(reply.body.utf8)
        )
    }

    static func kind(of request: HTTPRequest, _ body: Data) -> Kind {
        guard request.method == .post else { return .poll }
        let form = FormText(String(decoding: body, as: UTF8.self))
        if form?["enrollment_credential"] != nil { return .enroll }
        return form?["new_fb_token"] == nil ? .answer : .token
    }

    private func usual(_ kind: Kind, _ request: HTTPRequest, _ body: Data) -> Reply {
        switch kind {
        case .poll: return .value(.array(waiting))
        case .token, .answer: return .value(true)
        case .enroll:
            let form = FormText(String(decoding: body, as: UTF8.self))
            let key = keys[request.authority ?? ""] ?? ""
            return .value(
                true,
                detail: [
                    "public_key": .string(key), "rollout_state": "enrolled",
                    "serial": .string(form?["serial"] ?? ""),
                ])
        }
    }
}
