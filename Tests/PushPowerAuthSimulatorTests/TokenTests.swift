import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Tokens: who gets one, and when its digests are good.
struct TokenTests {
    private let bench = Bench()

    private func list(_ header: String) async throws -> Bench.Reply {
        try await bench.post(
            Bench.operations + "/list", [:], ["X-PowerAuth-Token": header])
    }

    @Test func `a token takes the possession factor and an active activation`() async throws {
        let phone = try await bench.active()
        for type in ["possession", "possession_knowledge", "possession_biometry"] {
            try await bench.makeToken(phone, type)
        }
        #expect(try await bench.record(phone).tokens.count == 3)
        let envelope = try Envelope(
            "{}".bytes, "/pa/token/create", to: await bench.activationTarget(phone),
            at: bench.now)
        try await bench.server.block(phone.id)
        let body: JSON = .object(envelope.members)
        #expect(
            try await bench.signed(phone, "/pa/v3/token/create", "/pa/token/create", body)
                .status == 401)
    }

    @Test(arguments: ["", "[]", #"{"name":"possession_universal"}"#])
    func `what asks for a token is an empty object`(plain: String) async throws {
        let phone = try await bench.active()
        let envelope = try Envelope(
            plain.bytes, "/pa/token/create", to: await bench.activationTarget(phone),
            at: bench.now)
        let reply = try await bench.signed(
            phone, "/pa/v3/token/create", "/pa/token/create", .object(envelope.members),
            "possession")
        #expect(reply.code == "ERR_ENCRYPTION")
        #expect(try await bench.record(phone).tokens.isEmpty)
    }

    @Test(arguments: [
        Bench.operations + "/list", "/api/inbox/count", "/api/inbox/message/read-all",
    ])
    func `a call without parameters has none`(path: String) async throws {
        let phone = try await bench.tokened()
        for body in ["", "[]", "null", #"{"requestObject":{}}"#, #"{"page":0}"#] {
            let reply = try await bench.post(
                path, body.bytes, ["X-PowerAuth-Token": phone.tokenHeader(at: bench.now)])
            #expect(reply.code == "INVALID_REQUEST", "\(body)")
        }
        #expect(try await bench.read(phone, path).status == 200)
    }

    @Test func `history and time have no parameters either`() async throws {
        let phone = try await bench.active()
        let path = Bench.operations + "/history"
        let body: JSON = ["requestObject": [:]]
        #expect(
            try await bench.signed(phone, path, "/operation/history", body).code
                == "INVALID_REQUEST")
        #expect(try await bench.signed(phone, path, "/operation/history").status == 200)
        #expect(try await bench.post("/pa/v3/status", body).code == "INVALID_REQUEST")
        #expect(try await bench.post("/pa/v3/status", [:]).status == 200)
    }

    @Test(
        arguments: [
            ("3.3", -7_200_000, true), ("3.3", -7_200_001, false), ("3.3", 60_000, true),
            ("3.3", 60_001, false), ("3.2", 60_001, false), ("3.1", 60_001, true),
            ("3.1", 1_800_000, true), ("3.1", 1_800_001, false), ("3.0", 1_800_000, true),
        ])
    func `a digest's time is in its version's window`(
        version: String, offset: Int, isTaken: Bool
    ) async throws {
        let phone = try await bench.tokened()
        let header = try phone.tokenHeader(at: bench.now + offset, version: version)
        #expect(try await list(header).status == (isTaken ? 200 : 401))
    }

    @Test func `a nonce counts once per token`() async throws {
        let phone = try await bench.tokened()
        let nonce = Raw.random(16)
        let header = try phone.tokenHeader(at: bench.now, nonce: nonce)
        #expect(try await list(header).status == 200)
        #expect(try await list(header).status == 401)
        #expect(
            try await list(phone.tokenHeader(at: bench.now + 1, nonce: nonce)).status == 401)
        try await bench.makeToken(phone)
        #expect(try await list(phone.tokenHeader(at: bench.now, nonce: nonce)).status == 200)
    }

    @Test func `a wrong digest doesn't use its nonce up`() async throws {
        let phone = try await bench.tokened()
        let nonce = Raw.random(16)
        let wrong = try phone.tokenHeader(
            at: bench.now, nonce: nonce, secret: Data(count: 16))
        #expect(try await list(wrong).status == 401)
        #expect(try await list(phone.tokenHeader(at: bench.now, nonce: nonce)).status == 200)
    }

    @Test func `all refusals look alike`() async throws {
        let phone = try await bench.tokened()
        let good = try phone.tokenHeader(at: bench.now)
        var headers = [
            "", "PowerAuth", good + ",", good.replacingOccurrences(of: "PowerAuth", with: "Basic"),
            good.replacingOccurrences(of: "version=\"3.3\", ", with: ""),
            good.replacingOccurrences(of: "nonce=\"", with: "nonce=\"AAAA"),
            good.replacingOccurrences(of: "timestamp=\"", with: "timestamp=\"-"),
            good.replacingOccurrences(of: "timestamp=\"", with: "timestamp=\"99999999"),
            try phone.tokenHeader(at: bench.now, secret: Data(count: 16)),
            try phone.tokenHeader(at: bench.now, id: UUID().uuidString.lowercased()),
            try phone.tokenHeader(at: bench.now - 7_200_001),
        ]
        // The version is under the digest.
        headers.append(
            try phone.tokenHeader(at: bench.now).replacingOccurrences(
                of: "version=\"3.3\"", with: "version=\"3.2\""))
        var replies: [Bench.Reply] = []
        for header in headers { replies.append(try await list(header)) }
        replies.append(try await bench.post(Bench.operations + "/list", [:]))
        let blocked = try phone.tokenHeader(at: bench.now)
        try await bench.server.block(phone.id)
        replies.append(try await list(blocked))
        for reply in replies {
            #expect(reply.status == 401)
            #expect(reply.code == "POWERAUTH_AUTH_FAIL")
            #expect(reply == replies.first)
        }
        try await bench.server.unblock(phone.id)
        #expect(try await list(good).status == 200)
    }

    @Test func `a removed token is gone, another's stays`() async throws {
        let phone = try await bench.tokened()
        let other = try await bench.tokened("bob")
        let id = try #require(phone.token?.id)
        func remove(_ id: String, by phone: Phone) async throws -> Bench.Reply {
            try await bench.signed(
                phone, "/pa/v3/token/remove", "/pa/token/remove",
                ["requestObject": ["tokenId": .string(id)]], "possession")
        }
        #expect(try await remove(id, by: other).status == 200)
        #expect(try await list(phone.tokenHeader(at: bench.now)).status == 200)
        #expect(try await remove(id, by: phone).status == 200)
        #expect(try await list(phone.tokenHeader(at: bench.now)).status == 401)
        #expect(try await list(other.tokenHeader(at: bench.now)).status == 200)
        try await bench.server.forgetTokens(of: other.id)
        #expect(try await list(other.tokenHeader(at: bench.now)).status == 401)
    }

    @Test func `the examples' digests are made as the server checks them`() throws {
        // Those of AccessTokenTests in `PushPowerAuthTests`.
        let secret = try b64("VqAXEhziiT27lxoqREjtcQ==")
        let phrase = Data(0..<16) + "&1691762307384".bytes
        #expect(
            Raw.hmac(secret, phrase).base64EncodedString()
                == "N7Wd+9ncyGZ+xpies8ZqGKiDFoAZ2dYpKW1SX0+ETOY=")
        #expect(
            Raw.hmac(secret, phrase + "&3.3".bytes).base64EncodedString()
                == "LGZGKzYNDLLHcjwCerk4ASQj12Ovj5Kj6vnvc0a6VLA=")
    }
}
