import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Activations without a code, by a device that is written for the tests alone.
struct DirectUserTests {
    private let bench = Bench {
        $0.directUsers = [
            .init("ada", method: "login", attributes: ["user": "ada", "pw": "1"]),
            .init("bob", method: nil, attributes: ["id": "7"], commitPhase: .onKeyExchange),
        ]
        $0.identityProviders = [.init("bank")]
    }

    private func exchange(
        _ type: String, _ identity: JSON, _ change: (inout Bench.Exchange) -> Void = { _ in }
    ) async throws -> (reply: Bench.Reply, answer: JSON?) {
        var exchange = Bench.Exchange("")
        exchange.outer = ["type": .string(type), "identityAttributes": identity]
        change(&exchange)
        return try await bench.send(exchange)
    }

    private func state(_ answer: JSON?) async throws -> PowerAuthSimulator.ActivationRecord {
        try await bench.server.activation(try #require(answer?["activationId"]?.string))
    }

    @Test func `who is known is activated, as the bank has chosen`() async throws {
        let direct = try await exchange("DIRECT", ["method": "login", "user": "ada", "pw": "1"])
        #expect(try await state(direct.answer).user == "ada")
        #expect(try await state(direct.answer).state == .pendingCommit)
        let custom = try await exchange("CUSTOM", ["id": "7"])
        #expect(try await state(custom.answer).user == "bob")
        #expect(try await state(custom.answer).state == .active)
    }

    private static let strangers: [(String, JSON)] = [
        ("DIRECT", ["method": "login", "user": "ada", "pw": "2"]),
        ("DIRECT", ["method": "login", "user": "ada"]),
        ("DIRECT", ["method": "login", "user": "ada", "pw": "1", "more": ""]),
        ("DIRECT", ["method": "other", "user": "ada", "pw": "1"]), ("DIRECT", ["id": "7"]),
        ("CUSTOM", ["method": "login", "user": "ada", "pw": "1"]), ("CUSTOM", ["id": 7]),
        ("CUSTOM", [:]), ("RECOVERY", ["recoveryCode": "W65WE-3T7VI-7FBS2-A4OYA", "puk": "1"]),
        ("OTHER", ["id": "7"]), ("DIRECT", ["method": "oidc", "code": "x"]),
    ]

    @Test(arguments: strangers)
    func `who isn't known is refused with the one refusal of all`(
        _ type: String, _ identity: JSON
    ) async throws {
        let reply = try await exchange(type, identity).reply
        #expect(reply.status == 400)
        #expect(reply.code == "ERR_ACTIVATION")
        for user in ["ada", "bob"] {
            #expect(await bench.server.activations(of: user).isEmpty)
        }
    }

    // MARK: The identity provider

    private static let verifier = String(repeating: "v", count: 43)

    private func page(_ change: (inout [String: String]) -> Void = { _ in }) -> String {
        var fields = [
            "response_type": "code", "client_id": "mobile-bank",
            "redirect_uri": "bank.example%3A%2Flogin", "scope": "openid+profile",
            "state": String(repeating: "s", count: 22), "nonce": String(repeating: "n", count: 22),
            "code_challenge": base64url(Data(SHA256.hash(data: Self.verifier.bytes))),
            "code_challenge_method": "S256",
        ]
        change(&fields)
        return "https://login.powerauth.example/authorize?"
            + fields.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private func code() async throws -> String {
        let back = try await bench.server.logIn("ada", at: page())
        let state = String(repeating: "s", count: 22)
        #expect(back.hasPrefix("bank.example:/login?state=\(state)&code="))
        return String(try #require(back.components(separatedBy: "code=").last))
    }

    private func identity(_ code: String) -> JSON.Object {
        [
            "method": "oidc", "providerId": "bank", "code": .string(code),
            "nonce": .string(String(repeating: "n", count: 22)),
            "codeVerifier": .string(Self.verifier),
        ]
    }

    @Test func `a code is redeemed once`() async throws {
        let code = try await code()
        let first = try await exchange("DIRECT", .object(identity(code)))
        #expect(try await state(first.answer).state == .active)
        let second = try await exchange("DIRECT", .object(identity(code)))
        #expect(second.reply.code == "ERR_ACTIVATION")
    }

    @Test(arguments: ["providerId", "nonce", "codeVerifier", "code"])
    func `each part of what redeems it counts, and a wrong one spends it`(
        _ name: String
    ) async throws {
        // Spelled out: a JSON value may be written `nil`, too.
        let values: [JSON?] = [.none, .string(String(repeating: "x", count: 43))]
        for value in values {
            let code = try await code()
            var identity = identity(code)
            identity[name] = value
            #expect(try await exchange("DIRECT", .object(identity)).reply.code == "ERR_ACTIVATION")
            guard name != "code" else { continue }
            #expect(
                try await exchange("DIRECT", .object(self.identity(code))).reply.code
                    == "ERR_ACTIVATION")
        }
    }

    @Test(arguments: [
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method",
    ])
    func `a provider refuses what is missing or wrong`(_ name: String) async throws {
        for value in [nil, "x"] {
            let url = page { $0[name] = value }
            await #expect(throws: PushError.self) { try await bench.server.logIn("ada", at: url) }
        }
    }

    @Test func `a provider's configuration is told encrypted, in the application's scope alone`()
        async throws
    {
        let app = try await bench.app
        func ask(_ plain: JSON, _ info: String) async throws -> (Bench.Reply, Envelope) {
            let envelope = try Envelope(
                plain.data, info, to: await bench.target(app), at: bench.now)
            let reply = try await bench.post(
                "/api/config/oidc", .object(envelope.members), bench.encryptionHeader(app))
            return (reply, envelope)
        }
        let (reply, envelope) = try await ask(["providerId": "bank"], "/pa/generic/application")
        let told = try envelope.open(reply.json)
        #expect(told["status"] == "OK")
        #expect(told["responseObject"]?["clientId"] == "mobile-bank")
        #expect(told["responseObject"]?["pkceEnabled"] == true)
        #expect(
            try await ask(["providerId": "x"], "/pa/generic/application").0.code
                == "APPLICATION_CONFIGURATION_ERROR")
        #expect(
            try await ask(["providerId": "bank", "x": 1], "/pa/generic/application").0.status
                == 400)
        #expect(
            try await ask(["providerId": "bank"], "/pa/activation").0.code == "ERR_ENCRYPTION")
        #expect(try await bench.post("/api/config/oidc", ["providerId": "bank"]).status == 400)
    }
}
