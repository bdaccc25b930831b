import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

struct PersonalizationTests {
    private let bench = Bench()

    private func phone(_ label: String = "phone") async throws -> Phone {
        try Phone(scanning: await bench.manager.personalizationLink(for: "jane"), label: label)
    }

    @Test func `a device is bound to its account, with the factors it set up`() async throws {
        let phone = try await phone()
        let answer = try await bench.personalize(phone)
        #expect(answer.status == 200)
        #expect(answer.data["account"] == "jane")
        #expect(answer.data["api"] == "1.0.0")
        #expect(answer.data["manager_keys"]?["keys"]?.array == [jwk(phone.managerKey)])
        let device = try #require(await bench.manager.devices(of: "jane").first)
        #expect(device.id == answer.data["activation_id"]?.string)
        #expect(device.deviceToken == .fcm("token-1"))
        #expect(device.alias == "Jane's phone")
        #expect(device.authenticators == [.device, .pin, .biometric])
    }

    @Test func `a device without PIN, biometry, token and name is bound, too`() async throws {
        var phone = try await phone()
        phone.pin = nil
        phone.biometricKey = nil
        phone.token = .null
        var body = try phone.personalizationBody()
        body["alias"] = .null
        #expect(try await bench.personalize(phone, body: body).status == 200)
        let device = try #require(await bench.manager.devices(of: "jane").first)
        #expect(device.deviceToken == nil)
        #expect(device.alias == nil)
        #expect(device.authenticators == [.device])
    }

    @Test func `the link leads to where the manager was moved`() async throws {
        try await bench.manager.move(to: "http://127.0.0.1:8080")
        let link = await bench.manager.personalizationLink(for: "jane")
        let json = try JSON(
            parsing: try data(base64url: String(link.dropFirst(21))))
        #expect(json["mgr"] == "http://127.0.0.1:8080")
        #expect(json["v"] == 1)
        #expect(json["idm"] == "idm-demo-1")
        for origin in ["https://HOST.example", "https://a.example/", "ftp://a.example", ""] {
            await #expect(throws: PushError.self) { try await bench.manager.move(to: origin) }
        }
    }

    @Test func `another key's signature is refused before the secret is looked at`() async throws {
        let phone = try await phone()
        var draft = try bench.personalizationDraft(phone)
        draft.key = try Phone.key("stranger")
        draft.header = [
            "alg": "ES256", "typ": "oxrw-req+jwt",
            "kid": .string(thumbprint(phone.key.publicKey)),
        ]
        let answer = try await bench.checked(draft, by: phone.managerKey)
        #expect(answer.verdict == "401 invalid_device_signature")
    }

    @Test func `the issuer must be the device key's thumbprint`() async throws {
        let phone = try await phone()
        var draft = try bench.personalizationDraft(phone)
        draft.claims["iss"] = "act-1"
        let answer = try await bench.checked(draft, by: phone.managerKey)
        #expect(answer.verdict == "401 invalid_device_signature")
    }

    @Test func `a secret nobody gave out, or a wrong proof of it, is an unknown activation`()
        async throws
    {
        let phone = try await phone()
        for (name, value) in [
            ("act", JSON.string(base64url(Data(count: 16)))),
            ("mac", .string(base64url(Data(count: 32)))),
            ("mac", "?"), ("act", .null), ("mac", 1),
        ] {
            var draft = try bench.personalizationDraft(phone)
            draft.claims[name] = value
            let answer = try await bench.checked(draft, by: phone.managerKey)
            #expect(answer.verdict == "404 activation_unknown")
        }
        #expect(await bench.manager.devices(of: "jane").isEmpty)
    }

    @Test func `a captured request sent again with another key is an unknown activation`()
        async throws
    {
        let phone = try await phone()
        let captured = try bench.personalizationDraft(phone)
        #expect(try await bench.checked(captured, by: phone.managerKey).status == 200)
        // The thief has no secret: body and claims as seen, with a key of the thief's own.
        var thief = phone
        thief.key = try Phone.key("thief")
        var members = try phone.personalizationBody()
        members["device_key"] = jwk(thief.key.publicKey)
        let body = JSON.object(members).data
        var draft = captured
        draft.key = thief.key
        draft.body = body
        draft.claims["iss"] = .string(thumbprint(thief.key.publicKey))
        draft.claims["bh"] = .string(base64url(sha256(body)))
        let answer = try await bench.checked(draft, by: phone.managerKey)
        #expect(answer.verdict == "404 activation_unknown")
        #expect(await bench.manager.devices(of: "jane").count == 1)
    }

    @Test func `a lost reply is repeated, and what was set up last counts`() async throws {
        var phone = try await phone()
        let first = try await bench.personalize(phone)
        phone.salt = Data(16..<32)
        phone.token = "token-2"
        let second = try await bench.personalize(phone)
        #expect(second.data == first.data)
        #expect(await bench.manager.devices(of: "jane").map(\.deviceToken) == [.fcm("token-2")])
        phone.activation = try #require(first.data["activation_id"]?.string)
        let (id, data) = try await bench.started(phone)
        #expect(
            try await bench.tryPIN("24680", phone, id, data).data["result"]?["type"] == "user_login"
        )
    }

    @Test func `an older request that arrives late sets nothing up`() async throws {
        var phone = try await phone()
        let late = try bench.personalizationDraft(phone)
        bench.clock.advance(by: .seconds(5))
        phone.token = "token-2"
        let answer = try await bench.personalize(phone)
        #expect(try await bench.checked(late, by: phone.managerKey).data == answer.data)
        #expect(await bench.manager.devices(of: "jane").map(\.deviceToken) == [.fcm("token-2")])
    }

    @Test func `a secret is used up by another key, and by the device's first own request`()
        async throws
    {
        var phone = try await phone()
        let answer = try await bench.personalize(phone)
        var other = phone
        other.key = try Phone.key("other")
        #expect(try await bench.personalize(other).verdict == "409 activation_used")
        phone.activation = try #require(answer.data["activation_id"]?.string)
        _ = try await bench.ask(
            phone, .get, "activations/\(phone.activation)/manager-keys")
        #expect(try await bench.personalize(phone).verdict == "409 activation_used")
    }

    @Test func `a removed device can't come back by its old secret`() async throws {
        let phone = try await bench.personalized()
        try await bench.manager.removeDevice(phone.activation)
        #expect(try await bench.personalize(phone).verdict == "409 activation_used")
    }

    @Test func `a secret lasts its lifetime, and not a second longer`() async throws {
        let early = try await phone("early")
        let late = try await phone("late")
        bench.clock.advance(by: .seconds(599))
        #expect(try await bench.personalize(early).status == 200)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.personalize(late).verdict == "410 activation_expired")
        // Even the repeat of a request that was taken: expiry comes before use.
        #expect(try await bench.personalize(early).verdict == "410 activation_expired")
    }

    @Test func `a body without a device key gets an answer that nobody signed`() async throws {
        let phone = try await phone()
        var bodies = [Data(), Data("[]".utf8), Data("{".utf8)]
        var members = try phone.personalizationBody()
        members["device_key"] = .null
        bodies.append(JSON.object(members).data)
        var withSecret = try #require(jwk(phone.key.publicKey).object)
        withSecret["d"] = .string(base64url(phone.key.rawRepresentation))
        members["device_key"] = .object(withSecret)
        bodies.append(JSON.object(members).data)
        for body in bodies {
            var draft = try bench.personalizationDraft(phone)
            draft.sentBody = body
            let answer = try await bench.send(draft)
            #expect(answer.status == 400)
            #expect(!answer.isSigned)
        }
    }

    @Test func `a body that is wrong otherwise is malformed, and leaves the secret open`()
        async throws
    {
        let phone = try await phone()
        let wrongKey = try phone.sealedPIN(key: Data(count: 32))
        let short = try phone.sealedPIN(["salt": "AAAA", "iterations": 3, "verifier": "AAAA"])
        let wrong: [(String, JSON?)] = [
            ("biometric_key", nil), ("biometric_key", "x"),
            ("biometric_key", jwk(phone.key.publicKey)), ("pin_setup", nil), ("pin_setup", "AAAA"),
            ("pin_setup", wrongKey), ("pin_setup", short), ("push_token", nil), ("push_token", 1),
            ("platform", "windows"), ("platform", nil), ("alias", 1),
        ]
        for (name, value) in wrong {
            var body = try phone.personalizationBody()
            body[name] = value
            let answer = try await bench.personalize(phone, body: body)
            #expect(answer.verdict == "400 malformed_request", "\(name)")
        }
        #expect(try await bench.personalize(phone).status == 200)
    }

    @Test func `a key serves one personalization, whatever it was for`() async throws {
        let first = try await bench.personalized()
        let sameDevice = try await phone()
        var sameBiometry = try await phone("other")
        sameBiometry.biometricKey = first.biometricKey
        var swapped = try await phone("another")
        swapped.key = try #require(first.biometricKey)
        for phone in [sameDevice, sameBiometry, swapped] {
            #expect(try await bench.personalize(phone).verdict == "400 malformed_request")
        }
        try await bench.manager.removeDevice(first.activation)
        #expect(try await bench.personalize(sameDevice).status == 200)
    }

    @Test func `too few iterations are refused where a manager minds`() async throws {
        await bench.manager.configure { $0.minimumPINIterations = 4 }
        var phone = try await phone()
        #expect(try await bench.personalize(phone).verdict == "400 malformed_request")
        phone.iterations = 4
        #expect(try await bench.personalize(phone).status == 200)
    }

    @Test func `neither PIN, verifier nor activation secret is in what a device sends`()
        async throws
    {
        let phone = try await bench.personalized()
        let sent = await bench.manager.exchanges.map { exchange in
            String(decoding: exchange.body, as: UTF8.self)
                + (exchange.request.headerFields[.authorization] ?? "")
        }
        let secrets = [
            "24680", base64url(phone.secret), base64url(try #require(phone.pinKey)),
            base64url(phone.salt),
        ]
        for text in sent { for secret in secrets { #expect(!text.contains(secret)) } }
    }
}
