import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What an approval holds: `docs/vendors/xignin-oxrw.md#6-the-approval`.
@Suite struct AssertionTests {
    /// The parts of the last finish.
    private func finished(_ harness: XignInHarness) async throws -> (
        assertion: Token, hash: String, factors: [JSON]
    ) {
        let request = try #require(await harness.manager.requests(.finish).last)
        let text = try #require(request["assertion"]?.string)
        let activation = try #require(await harness.manager.activations[WorkedExample.activation])
        let token = try #require(Token(text, key: activation.deviceKey))
        return (token, base64url(sha256(text.utf8)), request["factors"]?.array ?? [])
    }

    @Test func `what the user saw is what is signed`() async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        let (assertion, _, _) = try await finished(harness)
        let process = try #require(await harness.manager.processes[pid])
        #expect(assertion.header["typ"] == "oxrw-asr+jwt")
        #expect(assertion.claims["iss"] == .string(WorkedExample.activation))
        #expect(assertion.claims["aud"] == .string(WorkedExample.idm))
        #expect(assertion.claims["pid"] == .string(pid))
        #expect(assertion.claims["svc"] == "svc-1")
        #expect(assertion.claims["challenge"] == .string(process.challenge))
        #expect(assertion.claims["role"] == "user")
        #expect(assertion.claims["decision"] == "approve")
        #expect(assertion.claims["attrs"] == ["email"])
        #expect(
            assertion.claims["tx"] == .string(base64url(sha256(WorkedExample.transaction.utf8))))
        #expect(assertion.claims["exp"] == .number(.init(Int64(process.expiry))))
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test func `without a transaction none is signed`() async throws {
        let harness = try await XignInHarness { $0.transaction = nil }
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        #expect(try await finished(harness).assertion.claims["tx"] == .null)
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test(arguments: [
        "Pay 1 € to \u{1F600}", "", "  two  spaces\n", "a\u{202E}b",
        String(repeating: "x", count: 700),
        "e\u{301}",
    ])
    func `the transaction's text is signed as it came, unless it is refused`(text: String)
        async throws
    {
        let harness = try await XignInHarness { $0.transaction = text }
        let pid = try await harness.begin()
        let outcome = try? await harness.approve(pid)
        if outcome == .delivered {
            let assertion = try await finished(harness).assertion
            #expect(assertion.claims["tx"] == .string(base64url(sha256(text.utf8))))
        }
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test func `the PIN's proof is the one these tests compute`() async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        let (_, hash, factors) = try await finished(harness)
        let setup = try #require(await harness.manager.activations[WorkedExample.activation]?.setup)
        let key = pbkdf2(
            Array(WorkedExample.pin.utf8), salt: setup.salt, iterations: setup.iterations)
        let challenge = try #require(await harness.manager.processes[pid]?.challenge)
        let text = "OXRW1-PIN\n\(pid)\n\(challenge)\n\(hash)"
        #expect(
            factors == [["type": "pin", "proof": .string(base64url(hmac(key, text.utf8)))]])
    }

    @Test func `a PIN is taken as it was typed`() async throws {
        let pin = " ä\u{308}12 é "
        let harness = try await XignInHarness(keypad: Keypad(pin: pin))
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        let setup = try #require(await harness.manager.activations[WorkedExample.activation]?.setup)
        #expect(setup.verifier == pbkdf2(Array(pin.utf8), salt: setup.salt, iterations: 10))
    }

    @Test func `biometry signs the hash of this very assertion`() async throws {
        let keyGuard = ScriptedGuard()
        let harness = try await XignInHarness(keyGuard: keyGuard)
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        let (_, hash, factors) = try await finished(harness)
        #expect(factors.count == 1)
        #expect(factors.first?["type"] == "biometric")
        let activation = try #require(await harness.manager.activations[WorkedExample.activation])
        let key = try #require(activation.biometricKey)
        let token = try #require(Token(factors.first?["assertion"]?.string ?? "", key: key))
        #expect(token.header["typ"] == "oxrw-bio+jwt")
        #expect(token.header["kid"] == .string(key.thumbprint))
        #expect(token.claims["asr"] == .string(hash))
        #expect(token.claims["iat"]?.integer != nil)
        #expect(await keyGuard.requests.count == 1)
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test func `both factors of one list go together`() async throws {
        let roles: [JSON] = [
            [
                "id": "user", "name": "User",
                "requested_authenticators": [["biometric", "pin", "device"]],
            ]
        ]
        let keyGuard = ScriptedGuard()
        let harness = try await XignInHarness(keyGuard: keyGuard) { $0.roles = roles }
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        let kinds = try await finished(harness).factors.compactMap { $0["type"]?.string }
        #expect(Set(kinds) == ["biometric", "pin"])
        // The guard was opened once, and the app asked for the rest.
        #expect(await keyGuard.requests.count == 1)
        #expect(await harness.phone.keypad.requests.last?.alternatives == [[.pin]])
    }

    @Test func `possession alone needs nobody's finger or PIN`() async throws {
        let roles: [JSON] = [
            ["id": "user", "name": "User", "requested_authenticators": [["device"]]]
        ]
        let harness = try await XignInHarness { $0.roles = roles }
        let pid = try await harness.begin()
        let asked = await harness.phone.keypad.requests.count
        #expect(try await harness.approve(pid) == .delivered)
        #expect(try await finished(harness).factors.isEmpty)
        let later = await harness.phone.keypad.requests.dropFirst(asked)
        #expect(later.allSatisfy { $0.alternatives.contains([]) })
    }

    @Test func `two assertions never have the same jti or hash`() async throws {
        let harness = try await XignInHarness()
        var hashes: Set<String> = []
        for _ in 0..<3 {
            let pid = try await harness.begin()
            #expect(try await harness.approve(pid) == .delivered)
            hashes.insert(try await finished(harness).hash)
        }
        #expect(hashes.count == 3)
    }

    // MARK: What is never kept

    @Test func `no PIN, verifier or proof is ever in the store`() async throws {
        let pin = "correct horse battery"
        let keypad = Keypad(pin: pin)
        let harness = try await XignInHarness(keypad: keypad)
        let hoard = harness.phone.store
        let pid = try await harness.begin()
        // Kept as long as possible: the reply is lost, the app is killed, the user tries again.
        await harness.phone.faults.next(
            .dropAfter, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await harness.approve(pid)
        let again = try harness.phone.restarted()
        _ = try await again.authenticator.resume()
        await keypad.type("wrong horse")
        let second = try await harness.begin()
        _ = try await harness.approve(second)
        await keypad.type(pin)
        _ = try await harness.approve(second)
        let setup = try #require(await harness.manager.activations[WorkedExample.activation]?.setup)
        #expect(await !hoard.everHeld(Array(pin.utf8)))
        #expect(await !hoard.everHeld(Array("wrong horse".utf8)))
        #expect(await !hoard.everHeld(setup.verifier))
        for request in await harness.manager.requests(.finish) {
            for factor in request["factors"]?.array ?? [] where factor["type"] == "pin" {
                let text = try #require(factor["proof"]?.string)
                #expect(await !hoard.everHeld(try #require(decoded(base64url: text))))
                #expect(await !hoard.everHeld(Array(text.utf8)))
            }
        }
        // The search would have found something: the salt is kept.
        #expect(await hoard.everHeld(setup.salt))
    }

    @Test func `the activation secret is gone once the personalization is confirmed`()
        async throws
    {
        let manager = Manager(time: ManualClock(Date(WorkedExample.personalized)))
        let phone = try Phone([manager])
        let secret = sha256("a secret nobody guesses".utf8)
        try await phone.enroll(await manager.link(secret: secret))
        #expect(await !phone.store.holds(secret))
        let derived = Manager.Derived(secret, idm: WorkedExample.idm)
        #expect(await !phone.store.holds(derived.mac))
        #expect(await !phone.store.holds(derived.seal))
    }

    @Test func `the verifier isn't kept while the personalization hangs, either`() async throws {
        let manager = Manager(time: ManualClock(Date(WorkedExample.personalized)))
        let phone = try Phone([manager], keypad: Keypad(pin: "correct horse battery"))
        await phone.faults.next(.dropAfter)
        _ = try? await phone.enroll(await manager.link())
        let setup = try #require(await manager.activations.values.first?.setup)
        #expect(await !phone.store.everHeld(setup.verifier))
        #expect(await !phone.store.everHeld(Array("correct horse battery".utf8)))
    }

    @Test func `a decision's stored body is erased with the final word`() async throws {
        let harness = try await XignInHarness()
        let pid = try await harness.begin()
        await harness.phone.faults.next(
            .dropAfter, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await harness.approve(pid)
        let text = try #require(await harness.manager.requests(.finish).first?["assertion"]?.string)
        let signature = try #require(text.split(separator: ".").last)
        #expect(try await harness.phone.authenticator.resume().isEmpty == false)
        #expect(await !harness.phone.store.holds(Array(String(signature).utf8)))
    }
}
