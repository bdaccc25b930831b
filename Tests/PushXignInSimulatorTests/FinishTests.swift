import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// What an approval must prove, and what a wrong one gets.
struct FinishTests {
    private static func set(_ configuration: inout XignInSimulator.Configuration) {
        configuration.attributes = [
            .init("email", .required, value: "jane@example.com"),
            .init("birthdate", .optional, value: "2000-01-01"),
        ]
        configuration.transaction = "Pay 1 EUR"
    }

    private let bench = Bench("idm-demo-1", set)

    @Test func `a right PIN logs the user in, and releases what the user chose`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        bench.clock.advance(by: .seconds(5))
        let answer = try await bench.tryPIN("24680", phone, id, data)
        #expect(
            answer.data == [
                "result": [
                    "type": "user_login", "time": .number(.init(bench.now)),
                    "service": ["id": "example-shop", "name": "Example Shop"],
                ]
            ])
        #expect(try await bench.status(id) == .approved)
        #expect(
            try await bench.manager.releasedAttributes(of: id) == ["email": "jane@example.com"])
    }

    @Test func `an optional attribute is released only if the user says so`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        #expect(try await bench.manager.releasedAttributes(of: id) == nil)
        let body = try bench.finishBody(phone, data, pin: "24680") {
            $0["attrs"] = ["birthdate", "email"]
        }
        #expect(try await bench.finish(phone, id, body).status == 200)
        #expect(
            try await bench.manager.releasedAttributes(of: id) == [
                "email": "jane@example.com", "birthdate": "2000-01-01",
            ])
    }

    @Test func `biometry logs in where it is asked for, and a PIN doesn't stand for it`()
        async throws
    {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone, asking: .biometry)
        let withPIN = try await bench.tryPIN("24680", phone, id, data)
        #expect(withPIN.verdict == "400 factors_missing")
        let body = try bench.finishBody(phone, data, biometry: true)
        #expect(try await bench.finish(phone, id, body).data["result"]?["type"] == "user_login")
    }

    @Test func `missing factors are no attempt`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        for _ in 0..<5 {
            let body = try bench.finishBody(phone, data, biometry: true)
            #expect(try await bench.finish(phone, id, body).verdict == "400 factors_missing")
        }
        #expect(try await bench.manager.lockout(of: phone.activation).failures == 0)
        #expect(
            try await bench.tryPIN("24680", phone, id, data).data["result"]?["type"] == "user_login"
        )
    }

    @Test func `a factor that was never set up covers nothing`() async throws {
        let bench = Bench {
            $0.roles[.confirm] = [
                .init(id: "user", name: "User", requestedAuthenticators: [[.pin]])
            ]
        }
        let phone = try await bench.personalized { $0.pin = nil }
        let (id, data) = try await bench.started(phone)
        #expect(try await bench.tryPIN("24680", phone, id, data).verdict == "400 factors_missing")
    }

    @Test func `the device alone is enough where a role says so`() async throws {
        let bench = Bench {
            $0.roles[.confirm] = [
                .init(id: "user", name: "User", requestedAuthenticators: [[.device]])
            ]
        }
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let answer = try await bench.finish(phone, id, try bench.finishBody(phone, data))
        #expect(answer.data["result"]?["type"] == "user_login")
    }

    @Test func `each role asks for its own factors`() async throws {
        let bench = Bench {
            $0.roles[.confirm] = [
                .init(id: "user", name: "User", requestedAuthenticators: [[.device]]),
                .init(
                    id: "admin", name: "Admin",
                    requestedAuthenticators: [[.pin, .biometric, .device]]),
            ]
        }
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        for (pin, biometry) in [(nil, false), ("24680", false), (nil, true)] {
            let body = try bench.finishBody(phone, data, pin: pin, biometry: biometry) {
                $0["role"] = "admin"
            }
            #expect(try await bench.finish(phone, id, body).verdict == "400 factors_missing")
        }
        let body = try bench.finishBody(phone, data, pin: "24680", biometry: true) {
            $0["role"] = "admin"
        }
        #expect(try await bench.finish(phone, id, body).status == 200)
    }

    private static let wrongClaims: [(String, JSON?)] = [
        ("iss", "act-other"), ("aud", "idm-other"), ("jti", ""), ("jti", "a b"), ("jti", nil),
        ("exp", 1_767_225_781), ("exp", nil), ("iat", nil), ("iat", 1_767_225_780),
        ("pid", "prc-other"), ("svc", "other-shop"), ("challenge", "chl-other"),
        ("challenge", nil), ("role", "root"), ("role", nil), ("decision", "reject"),
        ("decision", nil), ("attrs", []), ("attrs", ["birthdate"]), ("attrs", ["email", "email"]),
        ("attrs", ["email", "shoe_size"]), ("attrs", ["email", 1]), ("attrs", nil), ("tx", nil),
        ("tx", .null), ("tx", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
    ]

    @Test(arguments: wrongClaims.indices)
    func `an assertion about anything else is malformed, and no attempt`(
        index: Int
    ) async throws {
        let (name, value) = Self.wrongClaims[index]
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        var claims = try phone.assertionClaims(data, at: bench.now, jti: "asr-1")
        let proved = claims
        claims[name] = value
        let assertion = try phone.assertion(claims)
        let body: JSON = [
            "assertion": .string(assertion),
            "factors": [try phone.proof(of: "24680", for: proved, assertion: assertion)],
        ]
        #expect(try await bench.finish(phone, id, body).verdict == "400 malformed_request")
        #expect(try await bench.manager.lockout(of: phone.activation).failures == 0)
        #expect(try await bench.status(id) == .waiting)
    }

    @Test func `without a transaction, tx must say so`() async throws {
        await bench.manager.configure { $0.transaction = nil }
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let wrong = try bench.finishBody(phone, data, pin: "24680") {
            $0["tx"] = .string(base64url(sha256(Data())))
        }
        #expect(try await bench.finish(phone, id, wrong).verdict == "400 malformed_request")
        #expect(try await bench.tryPIN("24680", phone, id, data).status == 200)
    }

    @Test func `an assertion that the device didn't sign, or for another purpose, is refused`()
        async throws
    {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let claims = JSON.object(
            try phone.assertionClaims(data, at: bench.now, jti: "asr-1"))
        let biometricKey = try #require(phone.biometricKey)
        let tokens = [
            try Token.text(claims, type: "oxrw-asr+jwt", by: biometricKey),
            try Token.text(claims, type: "oxrw-req+jwt", by: phone.key),
            try Token.text(claims, type: "oxrw-asr+jwt", by: phone.key) + "A",
            "a.b.c", "",
        ]
        for token in tokens {
            let body: JSON = ["assertion": .string(token), "factors": []]
            let answer = try await bench.finish(phone, id, body)
            #expect(answer.verdict == "401 invalid_device_signature")
        }
    }

    @Test(arguments: [
        #"[1]"#, #"[{"type":"face"}]"#, #"[{"type":"pin"}]"#, #"[{"type":"biometric"}]"#,
        #"[{"type":"pin","proof":"a"},{"type":"pin","proof":"b"}]"#,
    ])
    func `factors of no known kind, or twice one, are malformed`(factors: String) async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let assertion = try phone.assertion(
            try phone.assertionClaims(data, at: bench.now, jti: "asr-1"))
        let body: JSON = [
            "assertion": .string(assertion), "factors": try JSON(parsing: factors),
        ]
        #expect(try await bench.finish(phone, id, body).verdict == "400 malformed_request")
    }

    /// How each factor can be wrong, with a right one beside it.
    @Test(arguments: ["pin", "other assertion's pin", "biometry", "stolen biometry", "garbage"])
    func `a wrong factor is an attempt, whatever else is right`(kind: String) async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let claims = try phone.assertionClaims(data, at: bench.now, jti: "asr-1")
        let other = try phone.assertion(
            try phone.assertionClaims(data, at: bench.now, jti: "asr-2"))
        let assertion = try phone.assertion(claims)
        let pin = try phone.proof(of: "24680", for: claims, assertion: assertion)
        let factors: [JSON] =
            switch kind {
            case "pin": [try phone.proof(of: "24681", for: claims, assertion: assertion)]
            case "other assertion's pin":
                [try phone.proof(of: "24680", for: claims, assertion: other)]
            case "biometry": [pin, try phone.biometry(for: other, at: bench.now)]
            case "stolen biometry":
                [pin, try phone.biometry(for: assertion, at: bench.now, by: phone.key)]
            default: [["type": "pin", "proof": "?"]]
            }
        let body: JSON = ["assertion": .string(assertion), "factors": .array(factors)]
        let result = try await bench.finish(phone, id, body).data["result"]
        #expect(result?["type"] == "lockout")
        #expect(result?["challenge"] != data["challenge"])
        #expect(try await bench.manager.lockout(of: phone.activation).failures == 1)
    }

    @Test func `a judged assertion gets its result again, with any factors, even too late`()
        async throws
    {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let wrong = try bench.finishBody(phone, data, pin: "13579")
        let first = try await bench.finish(phone, id, wrong)
        var bare = wrong.object ?? [:]
        bare["factors"] = []
        #expect(try await bench.finish(phone, id, wrong).data == first.data)
        #expect(try await bench.finish(phone, id, .object(bare)).data == first.data)
        #expect(try await bench.manager.lockout(of: phone.activation).failures == 1)

        var next = data.object ?? [:]
        next["challenge"] = first.data["result"]?["challenge"]
        let right = try bench.finishBody(phone, .object(next), pin: "24680")
        let last = try await bench.finish(phone, id, right)
        #expect(last.data["result"]?["type"] == "user_login")
        bench.clock.advance(by: .seconds(3600))
        bare = right.object ?? [:]
        bare["factors"] = []
        #expect(try await bench.finish(phone, id, .object(bare)).data == last.data)
        #expect(try await bench.finish(phone, id, wrong).data == first.data)
    }

    @Test func `an assertion that wasn't judged isn't recorded`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        var body = try bench.finishBody(phone, data, pin: "24680").object ?? [:]
        let factors = body["factors"]
        body["factors"] = []
        let bare = try await bench.finish(phone, id, .object(body))
        #expect(bare.verdict == "400 factors_missing")
        body["factors"] = factors
        let whole = try await bench.finish(phone, id, .object(body))
        #expect(whole.data["result"]?["type"] == "user_login")
    }

    @Test func `after a wrong factor only the new challenge counts, and start repeats it`()
        async throws
    {
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login()
        let data = try await bench.start(phone, pushes[0]).data
        let first = try await bench.tryPIN("13579", phone, id, data)
        let stale = try await bench.tryPIN("24680", phone, id, data)
        #expect(stale.verdict == "400 malformed_request")
        let again = try await bench.start(phone, pushes[0]).data
        #expect(again["challenge"] == first.data["result"]?["challenge"])
        #expect(again["roles"] == data["roles"])
        #expect(try await bench.tryPIN("24680", phone, id, again).status == 200)
        #expect(try await bench.status(id) == .approved)
    }
}
