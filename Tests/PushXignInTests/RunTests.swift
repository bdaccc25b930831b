import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import Testing

/// The exchanges of `docs/vendors/xignin-oxrw.md#11-a-worked-example`, one run in order. Keys and
/// names differ from device to device, so what is compared is what each side derives and binds.
@Suite struct RunTests {
    private let vectors: Vectors

    init() throws { vectors = try Vectors() }

    private var members: JSON.Object {
        let names = [
            "personalization_request", "initialization_request", "start_request",
            "finish_wrong_pin", "finish", "push_token_removal",
        ]
        return JSON.Object(names.compactMap { name in vectors[name].map { (name, $0) } })
    }

    // MARK: The tests' own means against the example

    @Test func `these tests derive what the example derives`() throws {
        let secret = try #require(
            decoded(
                base64url: JSON(parsing: vectors.text("personalization_qr", "json"))["act"]?
                    .string ?? ""))
        let derived = Manager.Derived(secret, idm: WorkedExample.idm)
        #expect(derived.id == (try vectors.text("personalization_qr", "act_id")))
        #expect(hex(derived.mac) == (try vectors.text("personalization_qr", "k_mac_hex")))
        #expect(hex(derived.seal) == (try vectors.text("personalization_qr", "k_seal_hex")))
        let salt = try #require(decoded(base64url: vectors.text("pin_proof", "salt_b64url")))
        let key = pbkdf2(Array(WorkedExample.pin.utf8), salt: salt, iterations: 100_000)
        #expect(hex(key) == (try vectors.text("pin_proof", "k_pin_hex")))
        let message = try vectors.text("pin_proof", "message")
        #expect(base64url(hmac(key, message.utf8)) == (try vectors.text("pin_proof", "proof")))
        let mac = try vectors.text("personalization_request", "mac_input")
        #expect(
            base64url(hmac(derived.mac, mac.utf8))
                == (try vectors.text("personalization_request", "mac")))
        #expect(
            base64url(sha256(WorkedExample.transaction.utf8))
                == (try vectors.text("transaction", "sha256_b64url")))
        let device = try vectors.privateKey("device").publicKey
        #expect(device.thumbprint == (try vectors.text("keys", "device_public", "kid")))
    }

    @Test func `these tests read the example's tokens as genuine`() throws {
        let device = try vectors.privateKey("device").publicKey
        let manager = try vectors.privateKey("manager").publicKey
        for (name, value) in members.members {
            let exchange = value["request"] ?? value
            let authorization = try #require(exchange["authorization"]?.string)
            #expect(Token(authorization.dropFirst(5), key: device) != nil, "\(name)")
            #expect(
                exchange["body_sha256_b64url"]
                    == .string(base64url(sha256((exchange["body"]?.string ?? "").utf8))))
            let response = value["response"]
            if let body = response?["body"]?.string {
                #expect(Token(body, key: manager) != nil, "\(name)")
            }
        }
        for name in ["personalization_response", "initialization_response", "start_response"] {
            #expect(Token(try vectors.text(name, "body"), key: manager) != nil)
        }
        #expect(Token(try vectors.text("error_response", "body"), key: manager) != nil)
    }

    // MARK: The phone against the example

    /// The whole run, as the example has it.
    private func run() async throws -> XignInHarness {
        let harness = try await XignInHarness(vectors: true)
        let pid = try await harness.begin()
        let challenge = try await harness.phone.authenticator.challenge(harness.phone.id(pid))
        await harness.phone.keypad.type(WorkedExample.wrongPIN)
        let wrong = try await harness.phone.authenticator.resolve(
            challenge, with: .approve,
            extras: challenge.agreed(role: "user", attributes: ["email"]))
        guard case .notTaken(let refusal) = wrong else {
            Issue.record("A wrong PIN isn't taken, but \(wrong).")
            return harness
        }
        #expect(refusal.reason == .verification)
        #expect(refusal.mayRetry)
        #expect(refusal.attemptsLeft == 2)
        await harness.phone.keypad.type(WorkedExample.pin)
        #expect(
            try await harness.approve(pid, role: "user", attributes: ["email"]) == .delivered)
        #expect(try await harness.phone.authenticator.deviceTokenRemoved(of: .fcm).isEmpty)
        return harness
    }

    @Test func `the run of the example is taken from end to end`() async throws {
        let harness = try await run()
        #expect(await harness.manager.complaints.isEmpty)
        #expect(await harness.manager.activations[WorkedExample.activation]?.token == nil)
        #expect(await harness.manager.activations[WorkedExample.activation]?.failures == 0)
    }

    @Test func `each request has the example's members, and no others`() async throws {
        let harness = try await run()
        let expected: [(Manager.Call, String, String?)] = [
            (.personalization, "personalization_request", nil),
            (.initialization, "initialization_request", nil), (.start, "start_request", nil),
            (.finish, "finish_wrong_pin", "request"), (.token, "push_token_removal", "request"),
        ]
        for (call, name, inner) in expected {
            let mine = try #require(await harness.manager.requests(call).first, "\(call)")
            let theirs = JSON.object(try vectors.object(name))
            let exchange = try #require(inner == nil ? theirs : theirs["request"])
            let token = try #require(
                Token.unverified(exchange["authorization"]?.string?.dropFirst(5) ?? ""))
            #expect(names(mine.claims) == names(token.claims), "\(call)")
            #expect(names(mine.header) == names(token.header), "\(call)")
            let text = try #require(exchange["body"]?.string)
            let body = try #require(JSON(parsing: text).object)
            let own = try #require(JSON(parsing: mine.body).object)
            #expect(names(own) == names(body), "\(call)")
            for (constant, value) in token.claims.members
            where ["htm", "aud", "api"].contains(constant) {
                #expect(mine.claims[constant] == value)
            }
        }
    }

    @Test func `the assertion has the example's claims`() async throws {
        let harness = try await run()
        for (request, name) in zip(
            await harness.manager.requests(.finish), ["finish_wrong_pin", "finish"])
        {
            let body = try JSON(parsing: vectors.text(name, "request", "body"))
            let theirs = try #require(Token.unverified(body["assertion"]?.string ?? ""))
            let mine = try #require(Token.unverified(request["assertion"]?.string ?? ""))
            #expect(names(mine.claims) == names(theirs.claims))
            #expect(names(mine.header) == names(theirs.header))
            for same in ["aud", "svc", "role", "decision", "attrs", "tx"] {
                #expect(mine.claims[same] == theirs.claims[same], "\(same)")
            }
        }
        #expect(await harness.manager.requests(.finish).count == 2)
    }

    private func names(_ object: JSON.Object) -> Set<String> { Set(object.members.map(\.name)) }
}
