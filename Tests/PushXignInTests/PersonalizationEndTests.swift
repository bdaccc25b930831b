import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Taking over a name, biometry, and the end of an activation:
/// `docs/vendors/xignin-oxrw.md#8-when-a-device-is-unbound`.
@Suite struct PersonalizationEndTests: JoiningSuite {
    let joining: Joining

    init() throws { joining = try Joining() }

    // MARK: Taking over a name

    @Test func `a link for a manager that has a record here is refused`() async throws {
        try await phone.enroll(await link())
        let impostor = Manager(host: "evil.example", time: manager.time)
        let text = await impostor.link()
        let before = await phone.store.now
        await #expect(throws: PushError.self) {
            let offers = try phone.authenticator.offers(for: .scanned(text: text))
            _ = try await phone.authenticator.enroll(try #require(offers.first))
        }
        #expect(await impostor.requests.isEmpty)
        #expect(await phone.store.now == before)
        let pid = await manager.begin()
        try await phone.deliver()
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test func `the error of a link for an existing manager says so`() async throws {
        try await phone.enroll(await link())
        let offers = try phone.authenticator.offers(for: .scanned(text: await manager.link()))
        let error = try await refusal {
            _ = try await phone.authenticator.enroll(try #require(offers.first))
        }
        #expect(error.code == .alreadyEnrolled)
    }

    @Test func `a request that was captured is useless with another key`() async throws {
        try await phone.enroll(await link())
        let captured = try #require(await manager.requests.first)
        let thief = SigningKey()
        var token = Token(header: captured.header, claims: captured.claims)
        token.header["kid"] = .string(thief.publicKey.thumbprint)
        token.claims["iss"] = .string(thief.publicKey.thumbprint)
        token.claims["jti"] = "req-of-a-thief-with-enough-bits-0001"
        var body = try #require(JSON(parsing: captured.body).object)
        body["device_key"] = .object(thief.publicKey.jwk)
        token.claims["bh"] = .string(base64url(sha256(JSON.object(body).data)))
        var request = HTTPRequest(
            method: .post, scheme: "https", authority: WorkedExample.manager, path: captured.path)
        request.headerFields[.authorization] = "OXRW \(try token.signed(by: thief))"
        let reply = await manager.respond(to: request, body: JSON.object(body).data)
        #expect(reply.response.status.code == 404)
    }

    // MARK: Biometry

    /// A phone with a guard, which isn't personalized yet.
    private func guardedPhone(_ keyGuard: ScriptedGuard) throws -> Phone {
        var kind = Phone.Kind()
        kind.keyGuard = keyGuard
        return try Phone([manager], kind: kind)
    }

    @Test func `biometry has a key of its own, made of what the guard seals for this device key`()
        async throws
    {
        let keyGuard = ScriptedGuard()
        let phone = try guardedPhone(keyGuard)
        let offers = try phone.authenticator.offers(for: .scanned(text: await link()))
        #expect(offers.first?.asks == [[.newPIN, .newBiometry], [.newPIN]])
        try await phone.enroll(await link())
        #expect(await phone.keypad.requests.map(\.alternatives) == [[[.newPIN]]])
        let activation = try #require(await manager.activations.values.first)
        let secret = try #require(await keyGuard.secrets.first)
        let made = try SigningKey(
            rawRepresentation: hmac(secret, "OXRW1-BIO\n\(activation.deviceKey.thumbprint)"))
        #expect(
            activation.biometricKey?.rawRepresentation == made.publicKey.rawRepresentation)
    }

    @Test func `a secret of the app's verifier does as well, if it can't be guessed`() async throws
    {
        for count in [32, 15] {
            let phone = try Joining().phone
            let user = ScriptedVerifier { request in
                #expect(request.alternatives.first == [.newPIN, .newBiometry])
                return [
                    .pin(Secret(copying: "1234")),
                    .biometry(Secret(repeatElement(7, count: count))),
                ]
            }
            let app = try App(over: phone.transport, user: user, clock: phone.clock)
            let manager = phone.manager
            guard count == 32 else {
                let text = await manager.link(secret: secret)
                let error = try await refusal { try await app.enroll(.scanned(text: text)) }
                #expect(error.code == .verificationFailed)
                #expect(await manager.requests.isEmpty)
                #expect(try await app.authenticator.enrollments().isEmpty)
                continue
            }
            let enrollment = try await app.enroll(
                .scanned(text: await manager.link(secret: secret)))
            #expect(enrollment.state == .active && enrollment.guardPolicy == nil)
            #expect(await manager.activations.values.first?.biometricKey != nil)
        }
    }

    @Test func `where the record can't be stored, nothing stays in the guard`() async throws {
        let (keyGuard, store) = (ScriptedGuard(), InMemoryStore())
        await store.refuseWrites { _ in PushError(.storage, "It is full.") }
        let app = try App(
            over: phone.transport, store: store, clock: phone.clock, .init(keyGuard: keyGuard))
        let text = await link()
        let error = try await refusal {
            try await app.enroll(.scanned(text: text), guardedBy: .currentBiometry)
        }
        #expect(error.code == .storage)
        #expect(await keyGuard.sealed == [.currentBiometry])
        #expect(await keyGuard.parts.isEmpty)
        #expect(await manager.requests.isEmpty)
    }

    @Test(arguments: ["api", "manager_keys"])
    func `an activation that can't be used is ended at the manager, and leaves the guard empty`(
        name: String
    ) async throws {
        let keyGuard = ScriptedGuard()
        let phone = try guardedPhone(keyGuard)
        await manager.next(.personalization, .changed { $0[name] = "9.0.0" })
        await #expect(throws: PushError.self) { try await phone.enroll(await link()) }
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(await keyGuard.parts.isEmpty)
        #expect(await manager.activations.isEmpty)
        #expect(await manager.requests(.removal).count == 1)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `a user who wants no biometry gets no key for it`() async throws {
        try await phone.enroll(await link())
        #expect(try #require(await manager.requests.first)["biometric_key"] == .null)
    }

    // MARK: The end

    @Test func `removing tells the manager and wipes the record and its processes`()
        async throws
    {
        try await phone.enroll(await link())
        let pid = await manager.begin()
        let data = try await manager.take()
        for push in data { _ = try await phone.receive(push) }
        try await phone.authenticator.remove(phone.enrollmentID())
        #expect(await manager.activations.isEmpty)
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(try await phone.authenticator.record(of: phone.id(pid)) == nil)
        #expect(
            await phone.refusal(of: try #require(data.first))?.code
                == .identityManagerNotPersonalized)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `an unreachable manager doesn't stop the wipe, but the caller is told`()
        async throws
    {
        try await phone.enroll(await link())
        await phone.faults.next(.refuse, where: { $0.method == .delete })
        await #expect(throws: PushError.self) {
            try await phone.authenticator.remove(phone.enrollmentID())
        }
        #expect(try await phone.authenticator.enrollments().isEmpty)
    }

    /// A personalization of which only the manager knows that it is done.
    private func enrollWithoutReply() async throws {
        await phone.faults.next(.dropAfter, where: { $0.method == .post })
        let enrollment = try await phone.enroll(await link())
        #expect(enrollment.state == .pending(.unconfirmed))
        #expect(await manager.activations.count == 1)
    }

    @Test
    func `one that is removed while its reply is missing may stay at the manager, which is told`()
        async throws
    {
        try await enrollWithoutReply()
        try await phone.authenticator.remove(phone.enrollmentID())
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(await manager.activations.count == 1)
        #expect(
            phone.observer.observations.contains {
                $0.kind == .noticed && $0.provider == "xignin" && $0.summary.contains("removed")
            })
    }

    @Test func `one whose missing reply was asked for again is ended at the manager`()
        async throws
    {
        try await enrollWithoutReply()
        #expect(try await phone.authenticator.refresh(phone.enrollmentID()).state == .active)
        try await phone.authenticator.remove(phone.enrollmentID())
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(await manager.activations.isEmpty)
    }

    @Test(arguments: Manager.Spoil.allCases)
    func `an opt-out must be believable`(spoil: Manager.Spoil) async throws {
        try await phone.enroll(await link())
        await manager.next(.token, .spoiled(spoil))
        let failures = try await phone.authenticator.deviceTokenRemoved(of: .fcm)
        #expect(failures[phone.enrollmentID()] != nil)
        #expect(try await phone.authenticator.deviceTokenStates()[phone.enrollmentID()] == .waiting)
    }

    @Test func `an activation that no longer fits the store stays pending, and is fetched again`()
        async throws
    {
        let store = phone.store
        await manager.after(.personalization) {
            await store.refuseWrites { _ in PushError(.storage, "Full.") }
        }
        let error = try await refusal { try await phone.enroll(await link()) }
        #expect(error.code == .storage)
        #expect(error.reason.hasPrefix("Full. The manager has made the activation"))
        #expect(
            try await phone.authenticator.enrollment(phone.enrollmentID())?.state
                == .pending(.unconfirmed))
        await store.refuseWrites(nil)
        #expect(try await phone.authenticator.refresh(phone.enrollmentID()).state == .active)
        #expect(await manager.activations.count == 1)
    }
}
