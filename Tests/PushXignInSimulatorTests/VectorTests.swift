import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// Identifiers that a test chose, per kind; random ones after them.
///
/// `@unchecked Sendable` is safe because every access to the lists holds the lock.
private final class Names: @unchecked Sendable {
    private let lock = NSLock()
    private var lists: [XignInSimulator.Identifier: [String]]

    init(_ lists: [XignInSimulator.Identifier: [String]]) { self.lists = lists }

    func next(_ kind: XignInSimulator.Identifier, _ random: any RandomSource) -> String {
        lock.withLock {
            guard let first = lists[kind]?.first else { return kind.made(from: random) }
            lists[kind]?.removeFirst()
            return first
        }
    }
}

/// The worked example against the simulator, byte by byte where bytes can be the same.
struct VectorTests {
    private let exchanges: Vectors
    private let pushes: Vectors
    private let managerKey: P256.Signing.PrivateKey

    init() throws {
        exchanges = try Vectors("exchanges")
        pushes = try Vectors("push")
        managerKey = try Vectors.key("manager_private")
    }

    private func bench(
        _ names: [XignInSimulator.Identifier: [String]],
        _ change: (inout XignInSimulator.Configuration) -> Void = { _ in }
    ) -> Bench {
        let names = Names(names)
        let clock = ManualClock(Date(timeIntervalSince1970: 1_767_225_000))
        return Bench(clock: clock) {
            $0.signingKey = managerKey
            $0.random = RepeatingRandom(sha256("OXRW1 test activation"))
            $0.makeIdentifier = { names.next($0, $1) }
            $0.service = .init(id: "svc-1", name: "Demo Shop")
            $0.organization = .init(name: "Demo GmbH", websiteURL: "https://demo.example")
            $0.roles[.confirm] = [
                .init(
                    id: "user", name: "User",
                    requestedAuthenticators: [[.biometric, .device], [.pin, .device]])
            ]
            $0.attributes = [
                .init("email", .required, value: "{{user}}"),
                .init("birthdate", .optional, value: nil),
            ]
            $0.transaction = "Pay 12.50 EUR to Demo GmbH"
            change(&$0)
        }
    }

    /// Sends a recorded request, and compares what was signed with the recorded answer.
    private func replay(
        _ bench: Bench, at time: Int64, _ request: JSON.Object, expecting response: JSON.Object
    ) async throws {
        bench.clock.set(Date(timeIntervalSince1970: Double(time)))
        let method = try #require(request["method"]?.string.flatMap { HTTPRequest.Method($0) })
        let sent = HTTPRequest(
            method: method, scheme: "https", authority: "manager.xignin.example",
            path: request["path"]?.string,
            headerFields: [.authorization: try #require(request["authorization"]?.string)])
        let body = Data(try #require(request["body"]?.string).utf8)
        let answer = try await bench.send(sent, body)
        #expect(.number(.init(Int64(answer.status))) == response["status"])
        #expect(answer.contentType == response["content_type"]?.string)
        let expected = try Token(try #require(response["body"]?.string))
        let token = try #require(answer.token)
        #expect(token.signed == expected.signed)
        #expect(token.isSigned(by: managerKey.publicKey))
        #expect(expected.isSigned(by: managerKey.publicKey))
    }

    private func personalize(_ bench: Bench) async throws {
        let uri = await bench.manager.personalizationLink(for: "alice@demo.example")
        #expect(uri == (try exchanges.text("personalization_qr", "uri")))
        try await replay(
            bench, at: 1_767_225_000, exchanges.object("personalization_request"),
            expecting: exchanges.object("personalization_response"))
    }

    @Test func `the recorded run is answered as recorded, to the byte`() async throws {
        let bench = bench([
            .activation: ["act-5f2c1b"], .process: ["prc-9d0e7c4a"], .message: ["msg-0001"],
            .nonce: ["n-7b1e"], .challenge: ["chl-QmFzZQ", "chl-U2Vjb25k"],
        ])
        try await personalize(bench)
        bench.clock.set(Date(timeIntervalSince1970: 1_767_225_600))
        let (login, sent) = try await bench.login("alice@demo.example")
        let announcement = try Token(pushes.text("push_oxrw_msg", "authentication"))
        #expect(sent.map(\.token.signed) == [announcement.signed])
        let run: [(Int64, String)] = [(1_767_225_630, "initialization"), (1_767_225_635, "start")]
        for (time, call) in run {
            try await replay(
                bench, at: time, exchanges.object("\(call)_request"),
                expecting: exchanges.object("\(call)_response"))
        }
        let rest: [(Int64, String)] = [
            (1_767_225_640, "finish_wrong_pin"), (1_767_225_650, "finish"),
            (1_767_225_660, "push_token_removal"),
        ]
        for (time, call) in rest {
            try await replay(
                bench, at: time, exchanges.object(call, "request"),
                expecting: exchanges.object(call, "response"))
        }
        #expect(try await bench.status(login) == .approved)
        let released = try await bench.manager.releasedAttributes(of: login)
        #expect(released == ["email": "alice@demo.example"])
        #expect(await bench.manager.devices(of: "alice@demo.example").first?.deviceToken == nil)
    }

    @Test func `another device's start makes the recorded cancel and the recorded refusal`()
        async throws
    {
        let bench = bench([
            .activation: ["act-5f2c1b", "act-other"], .process: ["prc-9d0e7c4a"],
            .message: ["msg-0001", "msg-other", "msg-0003"],
        ])
        try await personalize(bench)
        bench.clock.set(Date(timeIntervalSince1970: 1_767_225_600))
        let other = try await bench.personalized("alice@demo.example", label: "other")
        let (_, sent) = try await bench.login("alice@demo.example")
        #expect(try await bench.start(other, sent[1]).status == 200)
        let cancel = try Token(pushes.text("push_oxrw_msg", "cancel"))
        #expect(try await bench.received().map(\.token.signed) == [cancel.signed])
        try await replay(
            bench, at: 1_767_225_630, exchanges.object("initialization_request"),
            expecting: exchanges.object("error_response"))
    }

    private static let plain: [(String, String, XignInSimulator.BadPush?)] = [
        ("authentication_minimal", "msg-0002", nil),
        ("incompatible_min_api", "msg-0004", .minimumVersion("2.0.0")),
        ("incompatible_unknown_msg", "msg-0005", .message("transaction_v2")),
        ("rogue_key_same_kid", "msg-0006", .wrongKey),
        ("not_personalized", "msg-0007", .manager("idm-other")),
        ("iss_differs_from_idm", "msg-0008", .issuer("idm-other")),
        ("wrong_activation", "msg-0009", .activation("act-000000")),
        ("expired", "msg-0010", .expired(ago: .seconds(420))),
        ("alg_none", "msg-0011", .unsigned),
        ("wrong_typ", "msg-0015", .type("oxrw-res+jwt")),
    ]

    @Test(arguments: plain.indices)
    func `each bad push is the recorded one, to the byte it signs`(index: Int) async throws {
        let (name, jti, fault) = Self.plain[index]
        let bench = bench([
            .activation: ["act-5f2c1b"], .process: ["prc-9d0e7c4a"], .message: [jti],
        ]) {
            $0.title = nil
            $0.message = nil
            $0.priority = .unspecified
            $0.isIgnorable = fault == nil
        }
        try await personalize(bench)
        bench.clock.set(Date(timeIntervalSince1970: 1_767_225_600))
        let (_, sent) = try await bench.login("alice@demo.example", spoiledBy: fault)
        let group =
            pushes["push_oxrw_msg", name] == nil ? "negative_push_oxrw_msg" : "push_oxrw_msg"
        let expected = try Token(pushes.text(group, name))
        let token = try #require(sent.first).token
        #expect(token.signed == expected.signed)
        #expect(
            token.isSigned(by: managerKey.publicKey) == expected.isSigned(by: managerKey.publicKey))
        #expect(token.signature.isEmpty == expected.signature.isEmpty)
    }

    @Test func `the recorded requests are this suite's phone's, so it shares no mistake`() throws {
        var phone = try Phone(scanning: exchanges.text("personalization_qr", "uri"))
        phone.key = try Vectors.key("device_private")
        phone.biometricKey = try Vectors.key("biometric_private")
        phone.iterations = 100_000
        phone.token = "fcm-token-1"
        var body = try phone.personalizationBody()
        body["alias"] = "test phone"
        #expect(JSON.object(body).text == (try exchanges.text("personalization_request", "body")))
        let claims = phone.activationClaims(jti: "req-0000", body: JSON.object(body).data)
        #expect(claims["mac"]?.string == (try exchanges.text("personalization_request", "mac")))
        #expect(claims["act"]?.string == (try exchanges.text("personalization_qr", "act_id")))
        let proofs = try Vectors("proofs")
        #expect(phone.pinKey == Data(bytes(hex: try proofs.text("pin_proof", "k_pin_hex"))))
        let finish = try JSON(parsing: exchanges.text("finish", "request", "body"))
        let assertion = try #require(finish["assertion"]?.string)
        let proof = try phone.proof(
            of: "24680", for: try #require(try Token(assertion).claims.object),
            assertion: assertion)
        #expect(proof["proof"]?.string == (try proofs.text("pin_proof", "proof")))
        #expect(
            base64url(sha256(Data("Pay 12.50 EUR to Demo GmbH".utf8)))
                == (try proofs.text("transaction", "sha256_b64url")))
    }
}
