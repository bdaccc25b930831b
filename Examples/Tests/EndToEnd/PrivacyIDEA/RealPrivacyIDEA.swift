import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// The real server, by its REST API.
struct RealPrivacyIDEA: PrivacyIDEAServer {
    let process: ServerProcess

    var release: PrivacyIDEARelease { process.release }
    var authority: LocalAuthority { process.authority }
    var origin: String { get async { await process.ready.origin } }

    /// What each token's user knows beside having the token.
    private static let pin = "7401"

    func set(_ setting: ServerSetting, for user: String) async throws {
        switch setting {
        case .validity(let seconds):
            try await process.call(
                .post, "/system/setConfig",
                ["PushChallengeValidityTime": .string("\(seconds)")])
        case .errorsHidden(let isHidden):
            // A token that was deleted is no user's.
            if isHidden {
                try await define(
                    "errors", "token", ["hide_specific_error_message_for_ttype": true])
            } else {
                try await process.call(.post, "/policy/disable/errors", [:])
            }
        default:
            let policy = setting.policy
            // Ahead of those for everybody, which have 9.
            try await define(
                "\(user)-\(policy.name)", policy.scope, policy.action,
                ["priority": 1, "realm": "lab", "user": .string(user)])
        }
    }

    func clearPollSettings(for user: String) async throws {
        let policies = try await process.call(.get, "/policy/")["result"]?["value"]?.array ?? []
        let names = policies.compactMap { $0["name"]?.string }
        for name in ["\(user)-address", "\(user)-polling"] where names.contains(name) {
            try await process.call(.delete, "/policy/\(name)")
        }
    }

    private func define(
        _ name: String, _ scope: String, _ action: JSON.Object, _ more: JSON.Object = [:]
    ) async throws {
        var policy: JSON.Object = [
            "scope": .string(scope), "active": true, "action": .object(action),
        ]
        for member in more.members { policy[member.name] = member.value }
        try await process.call(.post, "/policy/\(name)", .object(policy))
    }

    func code(for user: String, serial: String?) async throws -> (text: String, serial: String) {
        var body: JSON.Object = [
            "type": "push", "genkey": 1, "pin": .string(Self.pin), "user": .string(user),
            "realm": "lab",
        ]
        if let serial {
            body["serial"] = .string(serial)
            body["rollover"] = "1"
        }
        let reply = try await process.call(.post, "/token/init", .object(body))
        guard let text = reply["detail"]?["pushurl"]?["value"]?.string,
            let serial = reply["detail"]?["serial"]?.string
        else { throw ServerProcess.Failure("There is no code: \(reply.text)") }
        return (text, serial)
    }

    func startLogin(of user: String, byPIN: Bool) async throws -> StartedLogin {
        let reply =
            if byPIN {
                try await process.call(
                    .post, "/validate/check", ["user": .string(user), "pass": .string(Self.pin)])
            } else {
                try await process.call(
                    .post, "/validate/triggerchallenge", ["user": .string(user)])
            }
        guard let id = reply["detail"]?["transaction_id"]?.string else {
            throw ServerProcess.Failure("There is no challenge: \(reply.text)")
        }
        return StartedLogin(
            id: id, user: user, shown: reply["detail"]?["presence_answer"]?.string)
    }

    func state(of login: StartedLogin) async throws -> String {
        let reply = try await process.call(.get, "/validate/polltransaction/\(login.id)")
        let words = [
            reply["result"]?["authentication"], reply["detail"]?["challenge_status"],
        ]
        return words.compactMap { $0?.string }.joined(separator: " ")
    }

    func finish(_ login: StartedLogin, typing code: String) async throws -> String {
        let reply = try await process.call(
            .post, "/validate/check",
            [
                "user": .string(login.user), "pass": .string(code),
                "transaction_id": .string(login.id),
            ])
        return reply["result"]?["authentication"]?.string ?? ""
    }

    func cancel(_ login: StartedLogin) async throws {
        try await process.call(.delete, "/token/challenges/transaction/\(login.id)")
    }

    func deviceToken(of serial: String) async throws -> String? {
        let reply = try await process.call(.get, "/token/?serial=\(serial)")
        return reply["result"]?["value"]?["tokens"]?.array?.first?["info"]?["firebase_token"]?
            .string
    }

    func setToken(_ serial: String, isEnabled: Bool) async throws {
        try await process.call(
            .post, "/token/\(isEnabled ? "enable" : "disable")", ["serial": .string(serial)])
    }

    func deleteToken(_ serial: String) async throws {
        try await process.call(.delete, "/token/\(serial)")
    }

    func takePushes(to deviceToken: String) async throws -> [Data] {
        await process.sink.take(deviceToken)
    }

    func restart() async throws {
        try await process.restart()
    }
}

extension ServerSetting {
    /// The policy of one user that says so.
    fileprivate var policy: (name: String, scope: String, action: JSON.Object) {
        switch self {
        case .gateway(let gateway):
            enrolling("gateway", ["push_firebase_configuration": .string(gateway.name)])
        case .appUnlock(let way):
            enrolling(
                "unlock", ["push_force_app_pin": true, "push_app_force_unlock": .string(way)])
        case .piaScheme: enrolling("scheme", ["push_use_pia_scheme": true])
        case .address(let url): enrolling("address", ["push_registration_url": .string(url)])
        case .numbers(let count): loggingIn("presence", options("NUMERIC", count))
        case .letters(let count): loggingIn("presence", options("ALPHABETIC", count))
        case .options(let texts):
            loggingIn(
                "presence",
                [
                    "push_require_presence": true, "push_presence_options": "CUSTOM",
                    "push_presence_num_options": .string("\(texts.count)"),
                    "push_presence_custom_options": .string(texts.joined(separator: ":")),
                ])
        case .codeToPhone: loggingIn("code", ["push_code_to_phone": true])
        case .pollingDenied: loggingIn("polling", ["push_allow_polling": "deny"])
        case .errorsHidden, .validity: loggingIn("nothing", [:])
        }
    }

    private func enrolling(
        _ name: String, _ action: JSON.Object
    ) -> (name: String, scope: String, action: JSON.Object) {
        (name, "enrollment", action)
    }

    private func loggingIn(
        _ name: String, _ action: JSON.Object
    ) -> (name: String, scope: String, action: JSON.Object) {
        (name, "authentication", action)
    }

    private func options(_ kind: String, _ count: Int) -> JSON.Object {
        [
            "push_require_presence": true, "push_presence_options": .string(kind),
            "push_presence_num_options": .string("\(count)"),
        ]
    }
}

extension ServerSetting.Gateway {
    fileprivate var name: String {
        switch self {
        case .firebase: "firebase"
        case .http: "http"
        case .named(let name): name
        }
    }
}
