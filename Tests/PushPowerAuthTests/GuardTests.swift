import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// What needs the finger where a guard has the secret of biometry:
/// `docs/vendors/powerauth.md#what-a-guard-can-seal`.
@Suite struct GuardTests {
    private let bank = Bank()
    private let keyGuard = ScriptedGuard()
    private let phone: PowerAuthHarness
    private let id: Enrollment.ID

    init() async throws {
        let setup = PowerAuthHarness.Setup(keyGuard: keyGuard)
        phone = try await PowerAuthHarness(of: bank, setup: setup)
        id = try await phone.activated(token: .fcm("phone-1"), guardedBy: .currentBiometry)
        _ = await bank.simulator.takePushes()
    }

    private static let fingerAlone = Bank.Template.payment {
        $0.approval = .twoFactors([.possessionBiometry])
    }

    /// What asks the bank, and needs no finger.
    enum Call: CaseIterable {
        case receive, list, open, deny, denyUnopened, oneFactor, token, refresh, changePIN
    }

    private func make(_ call: Call) async throws {
        let authenticator = phone.authenticator
        switch call {
        case .receive:
            _ = try await bank.ask()
            #expect(try await !phone.deliver().isEmpty)
        case .list: _ = try await phone.received(at: id)
        case .open: _ = try await phone.opened(at: id)
        case .deny:
            let challenge = try await phone.opened(at: id)
            let outcome = try await authenticator.resolve(challenge, with: .deny(.unexpected))
            #expect(outcome == .delivered)
        case .denyUnopened:
            #expect(try await authenticator.deny(phone.received(at: id)) == .delivered)
        case .oneFactor:
            let operation = try await bank.ask(.oneFactor)
            #expect(try await phone.approve(operation, at: id) == .delivered)
        case .token:
            #expect(try await authenticator.deviceTokenChanged(.fcm("phone-2")).isEmpty)
        case .refresh: #expect(try await authenticator.refresh(id).state == .active)
        case .changePIN:
            try await phone.manager(id).changePIN(
                from: Secret(copying: Customer.pin), to: Secret(copying: "567890"))
        }
    }

    private var asked: Int { get async { await keyGuard.requests.count } }

    /// The secrets that the guard keeps.
    private func secrets() async throws -> [Secret] {
        try await keyGuard.parts.values.flatMap { try Secret.Record(reading: $0).secrets }
    }

    private func signatureType() async throws -> String? {
        try await bank.header("X-PowerAuth-Authorization", of: .authorize)["pa_signature_type"]
    }

    /// Whether the disk has something as it is, in Base64 or in hexadecimal.
    private func isStored(_ secret: Secret) async throws -> Bool {
        let data = Data(secret.array)
        let hexadecimal = data.map { String(format: "%02x", $0) }.joined()
        for form in [
            secret.array, Array(data.base64EncodedString().utf8), Array(hexadecimal.utf8),
            Array(hexadecimal.uppercased().utf8),
        ] where try await phone.disk.holds(form) {
            return true
        }
        return false
    }

    // MARK: What asks

    @Test(arguments: Call.allCases)
    func `possession and PIN need nothing of what the guard has`(call: Call) async throws {
        await keyGuard.refuse(with: .guardLost)
        let typed = await phone.customer.requests.count
        try await make(call)
        #expect(await asked == 0)
        #expect(await phone.customer.requests.count == typed)
    }

    @Test func `a yes of two factors opens the guard once, and nobody is asked for the PIN`()
        async throws
    {
        let typed = await phone.customer.requests.count
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        #expect(try await signatureType() == "possession_biometry")
        #expect(await asked == 1)
        #expect(await phone.customer.requests.count == typed)
    }

    @Test func `a yes that takes the PIN alone leaves the guard shut`() async throws {
        let operation = try await bank.ask { $0.approval = .twoFactors([.possessionKnowledge]) }
        #expect(try await phone.approve(operation, at: id) == .delivered)
        #expect(await asked == 0)
    }

    @Test(arguments: [PushError.Code.locked, .verificationFailed, .guardLost])
    func `where the guard stays shut the PIN is asked for, if the operation takes it`(
        code refused: PushError.Code
    ) async throws {
        await keyGuard.refuse(with: refused)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        #expect(try await signatureType() == "possession_knowledge")
        #expect(await phone.customer.requests.last?.alternatives == [[.pin]])
        let challenge = try await phone.opened(Self.fingerAlone, at: id)
        #expect(
            await code { try await phone.authenticator.resolve(challenge, with: .approve) }
                == refused)
        #expect(try await bank.status(challenge.id) == .pending)
        #expect(await bank.count(.authorize) == 1)
        // No try was counted, and the finger is as good as before.
        #expect(try await bank.record(id).failedAttempts == 0)
        await keyGuard.refuse(with: nil)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a user who gives up before the finger isn't asked for the PIN`() async throws {
        await keyGuard.refuse(with: .cancelled)
        let typed = await phone.customer.requests.count
        let (bank, phone, id) = (bank, phone, id)
        #expect(await code { try await phone.approve(bank.ask(), at: id) } == .cancelled)
        #expect(await code { try await phone.manager(id).rename(to: "Blue") } == .cancelled)
        #expect(await phone.customer.requests.count == typed)
        #expect(await bank.count(.authorize) == 0)
    }

    @Test(arguments: [nil, PushError.Code.guardLost])
    func `what the server wants two factors for opens the guard, or asks for the PIN`(
        refused: PushError.Code?
    ) async throws {
        await keyGuard.refuse(with: refused)
        let typed = await phone.customer.requests.count
        let type = refused == nil ? "possession_biometry" : "possession_knowledge"
        #expect(try await phone.manager(id).rename(to: "Blue").name == "Blue")
        let header = try await bank.header("X-PowerAuth-Authorization", of: .renaming)
        #expect(header["pa_signature_type"] == type)
        try await phone.authenticator.remove(id)
        #expect(try await bank.record(id).state == .removed)
        #expect(await asked == 2)
        #expect(await phone.customer.requests.count == typed + (refused == nil ? 0 : 2))
        #expect(await keyGuard.parts.isEmpty)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore])
    func `a yes that never arrived is no question at a start, and one when it is made again`(
        fault: FaultPlan.Fault
    ) async throws {
        let challenge = try await phone.opened(Self.fingerAlone, at: id)
        await phone.fail(.authorize, fault)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        let again = try await phone.restarted()
        #expect(try await again.authenticator.resume()[challenge.id] == .verifyAgain)
        #expect(await asked == 1)
        #expect(await bank.count(.authorize) == 0)
        #expect(try await again.approve(challenge.id.name, at: id) == .delivered)
        #expect(await asked == 2)
    }

    @Test func `two of them are done by one question, if the app says so`() async throws {
        let manager = try phone.manager(id)
        try await phone.authenticator.withOpenGuards(of: [id]) { () async throws(PushError) in
            _ = try await manager.rename(to: "Blue")
            _ = try await manager.detail()
        }
        #expect(await asked == 1)
    }

    @Test func `the app gets the proof for a request of its own from the account`() async throws {
        let history = try #require(phone.provider.history)
        let found = try await phone.authenticator.turn(of: id) {
            (account) async throws(PushError) in
            let proof = try await account.biometry(for: .manage(account.id, "show what was"))
            return try await history.history(of: account, evidence: [proof])
        }
        #expect(found.isEmpty)
        #expect(await asked == 1)
    }

    // MARK: Setting it up

    @Test func `it is added, replaced and removed later, with its guard`() async throws {
        let id = try await phone.activated()
        let manager = try phone.manager(id)
        let earlier = await keyGuard.parts.count
        #expect(try await phone.authenticator.enrollment(id)?.guardPolicy == nil)
        for policy in [GuardPolicy.currentBiometry, .deviceOwner] {
            try await manager.addBiometry(guardedBy: policy)
            #expect(await phone.customer.requests.last?.alternatives == [[.pin]])
            #expect(try await phone.authenticator.enrollment(id)?.guardPolicy == policy)
            #expect(await keyGuard.parts.count == earlier + 1)
            let operation = try await bank.ask(Self.fingerAlone)
            #expect(try await phone.approve(operation, at: id) == .delivered)
        }
        try await manager.removeBiometry()
        #expect(try await !manager.hasBiometry())
        #expect(try await phone.authenticator.enrollment(id)?.guardPolicy == nil)
        #expect(await keyGuard.parts.count == earlier)
        #expect(await bank.simulator.unlockReasons == ["ADD_BIOMETRY", "ADD_BIOMETRY"])
    }

    @Test func `a secret of the app's verifier takes the guard's place`() async throws {
        await phone.customer.lay(finger: Customer.finger)
        try await phone.manager(id).addBiometry()
        #expect(await phone.customer.requests.last?.alternatives == [[.pin, .newBiometry]])
        #expect(await keyGuard.parts.isEmpty)
        #expect(try await phone.authenticator.enrollment(id)?.guardPolicy == nil)
        try await phone.validate(.biometry(Customer.finger), of: id)
        #expect(await asked == 0)
    }

    @Test func `a guard that is lost is mended by the PIN`() async throws {
        for name in await keyGuard.parts.keys { await keyGuard.discard(Secret(name)) }
        let challenge = try await phone.opened(Self.fingerAlone, at: id)
        #expect(
            await code { try await phone.authenticator.resolve(challenge, with: .approve) }
                == .guardLost)
        try await phone.manager(id).addBiometry(guardedBy: .currentBiometry)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `what can't be sealed or stored changes nothing, and leaves nothing in the guard`()
        async throws
    {
        let manager = try phone.manager(id)
        let locked = try #require(try await phone.record(id).locked?.biometry)
        let before = await keyGuard.parts.keys
        #expect(await code { try await manager.addBiometry(guardedBy: .presence) } == .unsupported)
        // The counter's value is written first.
        await phone.disk.die(.init(write: 1, isAfter: false))
        #expect(await code { try await manager.addBiometry(guardedBy: .deviceOwner) } == .storage)
        #expect(await keyGuard.parts.keys == before)
        let again = try await phone.restarted()
        #expect(try await again.record(id).locked?.biometry?.array == locked.array)
        #expect(try await again.authenticator.enrollment(id)?.guardPolicy == .currentBiometry)
        let operation = try await bank.ask(Self.fingerAlone)
        #expect(try await again.approve(operation, at: id) == .delivered)
    }

    // MARK: The store

    @Test func `the store has no form of the secret or its key, and says no yes of two factors`()
        async throws
    {
        let secret = try #require(await secrets().first)
        #expect(secret.count == 32)
        let locked = try #require(try await phone.record(id).locked?.biometry)
        let key = try BiometricLock.unlock(locked, with: secret)
        // The search finds what is there.
        #expect(try await isStored(locked))
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        for bytes in [secret, key] { #expect(try await !isStored(bytes)) }
        // A thief has the store, and a guard that keeps nothing.
        let setup = PowerAuthHarness.Setup(
            disk: phone.disk, customer: Customer(finger: Customer.finger), process: "thief",
            keyGuard: ScriptedGuard())
        let thief = try await PowerAuthHarness(of: bank, setup: setup)
        let challenge = try await thief.opened(Self.fingerAlone, at: id)
        #expect(
            await code { try await thief.authenticator.resolve(challenge, with: .approve) }
                == .guardLost)
        #expect(await bank.count(.authorize) == 1)
        // A secret of the thief's unlocks a wrong key, which the server counts.
        #expect(
            await attemptsLeft { try await thief.validate(.biometry(Customer.finger), of: id) } == 4
        )
    }
}
