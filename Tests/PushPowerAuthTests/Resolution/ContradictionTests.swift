import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What the public material contradicts itself in, and what clients easily miss:
/// `docs/vendors/powerauth.md#where-the-published-material-contradicts-itself`.
@Suite struct ContradictionTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        id = try await phone.activated(token: .fcm("t"))
    }

    // The simulator refuses each with 400 or 401, so that it took the call is the proof.

    @Test func `the kind of activation is sent as type`() async throws {
        #expect(await bank.requests(.activation).map(\.status) == [200])
    }

    @Test func `the server's derivations and secrets are the device's`() async throws {
        // Both of the secret's forms are in use: text in signatures and envelopes, bytes in key
        // requests.
        for call in [Bank.Call.keystore, .tokenCreation, .status] {
            #expect(await bank.requests(call).allSatisfy { $0.status == 200 }, "\(call)")
        }
        #expect(try await phone.state(id) == .active)
    }

    @Test func `a key request is signed with the decoded secret`() async throws {
        let application = try #require(await bank.simulator.configuration.applications.first)
        let secret = try #require(Data(base64Encoded: application.secret))
        let first = try #require(await bank.requests(.keystore).first)
        let object = try #require(try JSON(parsing: first.body)["requestObject"])
        let parts = try #require(object["jwt"]?.string).split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        #expect(parts.allSatisfy { !$0.contains("=") })
        let mac = HMAC<SHA256>.authenticationCode(
            for: Data("\(parts[0]).\(parts[1])".utf8), using: SymmetricKey(data: secret))
        let text = Data(mac).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        #expect(parts[2] == text)
    }

    @Test func `a key that comes in the wrong member is not taken`() async throws {
        let other = try await PowerAuthHarness(of: bank)
        let reply: JSON = ["status": "OK", "requestObject": ["jwt": "a.b.c"]]
        await other.gateway.answer(.keystore, with: .init(reply))
        #expect(await code { try await other.enroll() } == .malformed)
    }

    @Test func `reading is by token, never by signature`() async throws {
        let operation = try await bank.ask()
        _ = try await phone.deliver()
        _ = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        _ = try await phone.inbox(id).messages()
        let token = try #require(HTTPField.Name("X-PowerAuth-Token"))
        let signature = try #require(HTTPField.Name("X-PowerAuth-Authorization"))
        for call in [
            Bank.Call.list, .detail, .inboxList, .registration,
        ] {
            let requests = await bank.requests(call)
            #expect(call == .detail || !requests.isEmpty, "\(call)")
            for exchange in requests {
                #expect(exchange.request.headerFields[token] != nil)
                #expect(exchange.request.headerFields[signature] == nil)
            }
        }
    }

    @Test func `every envelope has its time and its key's name`() async throws {
        _ = try await phone.authenticator.pending(for: id)
        for call in [Bank.Call.activation, .tokenCreation] {
            let envelope = try JSON(parsing: try #require(await bank.requests(call).last).body)
            #expect(envelope["timestamp"]?.integer != nil)
            #expect(envelope["temporaryKeyId"]?.string?.isEmpty == false)
        }
    }

    @Test func `pairs of a header are separated by commas, all of them`() async throws {
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        for (name, call) in [
            ("X-PowerAuth-Authorization", Bank.Call.authorize), ("X-PowerAuth-Token", .list),
            ("X-PowerAuth-Encryption", .activation),
        ] {
            let request = try #require(await bank.requests(call).last).request
            let field = try #require(HTTPField.Name(name))
            let text = try #require(request.headerFields[field])
            #expect(
                text.wholeMatch(of: #/PowerAuth [a-z_]+="[^"]*"(, [a-z_]+="[^"]*")*/#) != nil,
                "\(name)")
        }
    }

    @Test func `the fingerprint takes coordinates without leading zeros`() async throws {
        // One key in 256 begins with a zero byte.
        let keys = (0..<20_000).lazy.map { _ in P256.KeyAgreement.PrivateKey() }
        let key = try #require(keys.first { $0.publicKey.rawRepresentation.first == 0 })
        let bank = Bank()
        let random = PlannedRandom(
            always: Array(key.rawRepresentation), rest: SeededRandom(seed: 6))
        let enrollment = try await PowerAuthHarness(of: bank, setup: .init(random: random)).enroll()
        let point = await bank.simulator.deviceKey(of: enrollment.id.name)
        #expect(point == key.publicKey.x963Representation)
        let known = try #require(try await bank.record(enrollment.id).fingerprint)
        #expect(enrollment.state == .pending(.comparison(code: known)))
    }

    @Test func `the newer names of platforms come first`() async throws {
        #expect(try await bank.sent(.registration)["platform"] == "fcm")
    }

    @Test(arguments: [
        "2026-09-21T14:14:20+0000", "2026-09-21T14:14:20+00:00", "2026-09-21T14:14:20.000+0000",
        "2026-09-21T14:14:20Z", "2026-09-21T16:14:20+02:00", "2026-09-21T14:14:20.000Z",
    ])
    func `a date is read in every form that servers write`(_ text: String) async throws {
        let operation = try await bank.ask {
            $0.replacedMembers["operationExpires"] = .string(text)
        }
        let challenge = try await phone.open(operation, at: id)
        let expected = Date(timeIntervalSince1970: 1_790_000_060)
        #expect(challenge.expiry == expected)
    }

    @Test func `an amount keeps its digits`() async throws {
        let operation = try await bank.ask { template in
            template.attributes = [
                .init("a", "A", .amount(.init(.integer(9_007_199_254_740_993), "CZK")))
            ]
        }
        let challenge = try await phone.open(operation, at: id)
        let read = try #require(challenge.details(as: PowerAuthOperation.self))
        guard case .amount(let money)? = read.formData.attributes.first?.content else {
            Issue.record("It has no amount.")
            return
        }
        #expect(money.amount == "9007199254740993")
    }

    @Test func `identifiers keep their case on the wire`() async throws {
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(header["pa_activation_id"] == id.name)
        let tokens = try await bank.record(id).tokens
        #expect(
            tokens.contains(try await bank.header("X-PowerAuth-Token", of: .list)["token_id"] ?? "")
        )
    }

    @Test func `the call that lets a server follow takes the device's signature alone`()
        async throws
    {
        for _ in 0..<12 {
            let operation = try await bank.ask()
            let challenge = try await phone.open(operation, at: id)
            await phone.fail(.cancel, .refuse)
            _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        }
        _ = try await phone.authenticator.refresh(id)
        _ = try await phone.authenticator.refresh(id)
        for exchange in await bank.requests(.validation) {
            #expect(exchange.status == 200)
            #expect(
                try JSON(parsing: exchange.body)["requestObject"]?["reason"]
                    == "COUNTER_SYNCHRONIZATION")
        }
        #expect(await bank.count(.validation) >= 1)
    }

    @Test(arguments: ["ERR_AUTHENTICATION", "POWERAUTH_AUTH_FAIL"])
    func `either word for a refused signature is understood, at either API`(
        _ code: String
    ) async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await bank.simulator.spoil(by: .refusal(status: 401, code: code), at: .authorize)
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(
            outcome.refusal?.reason == .verification || outcome.refusal?.reason == .stateChanged)

        await bank.simulator.spoil(by: .refusal(status: 401, code: code), at: .validation)
        let asked = await bank.count(.status)
        await #expect(throws: PushError.self) {
            try await phone.manager(id).validatePIN(Secret(Customer.pin.utf8))
        }
        #expect(await bank.count(.status) > asked)
        await bank.simulator.spoil(by: .refusal(status: 401, code: code), at: .list)
        _ = try await phone.authenticator.pending(for: id)
    }

    // MARK: What is easily missed

    @Test func `a retry is a new envelope, with a new signature and a new nonce`() async throws {
        let other = try await phone.activated()
        await bank.simulator.forgetTemporaryKeys()
        _ = try await phone.authenticator.pending(for: other)
        try await bank.simulator.forgetTokens(of: other.name)
        await bank.simulator.forgetTemporaryKeys()
        _ = try await phone.authenticator.pending(for: other)
        var bodies: Set<Data> = []
        var nonces: Set<String> = []
        let made = await bank.requests(.tokenCreation)
        for exchange in made {
            bodies.insert(exchange.body)
            let field = try #require(HTTPField.Name("X-PowerAuth-Authorization"))
            let text = try #require(exchange.request.headerFields[field])
            nonces.insert(try #require(Bank.pairs(text)["pa_nonce"]))
        }
        #expect(made.count >= 3)
        #expect(bodies.count == made.count)
        #expect(nonces.count == made.count)
        let counters = await bank.counters(of: other)
        #expect(Set(counters).count == counters.count)
    }

    @Test func `unknown members of any plain reply are passed over`() async throws {
        let operation = try await bank.ask {
            $0.replacedMembers = ["newer": ["deep": [1, 2]], "mobileTokenData": ["x": 1]]
        }
        #expect(try await phone.approve(operation, at: id) == .delivered)
    }

    @Test(arguments: ["not JSON", "", "[]", "5", #"{"status":"OK"}"#, #"{"status":"ERROR"}"#])
    func `a list that isn't one is an error, and no trap`(_ text: String) async throws {
        await phone.gateway.answer(.list, with: .init(json: text))
        let error = try await refusal { _ = try await phone.authenticator.pending(for: id) }
        #expect([.malformed, .interrupted, .server(status: 200)].contains(error.code))
    }
}
