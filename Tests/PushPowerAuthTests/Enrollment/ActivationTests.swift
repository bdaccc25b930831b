import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct ActivationTests {
    @Test(arguments: PowerAuthVersion.allCases)
    func `a scanned code activates, and both sides show one fingerprint`(
        _ version: PowerAuthVersion
    ) async throws {
        let handset = try await Handset { $0.version = version }
        let enrollment = try await handset.enrolled()
        let known = try await handset.simulator.activation(enrollment.id.name)
        #expect(known.state == .pendingCommit)
        #expect(enrollment.state == .pending(.comparison(code: try #require(known.fingerprint))))
        #expect(known.deviceName == "Petr's phone")
        #expect(known.platform == "ios")
        #expect(enrollment.host == "mobile.powerauth.example")

        try await handset.simulator.commit(enrollment.id.name)
        #expect(try await handset.authenticator.refresh(enrollment.id).state == .active)
        try await handset.validate(.pin("1234"), of: enrollment.id)
    }

    @Test func `a server that commits at once makes it active at once`() async throws {
        let handset = try await Handset()
        await handset.simulator.configure { $0.invitation.commitPhase = .onKeyExchange }
        #expect(try await handset.enrolled().state == .active)
    }

    @Test func `a state that can't be asked for leaves the comparison, and no error`() async throws
    {
        let handset = try await Handset()
        await handset.fail(.status, .refuse)
        guard case .pending(.comparison) = try await handset.enrolled().state else {
            Issue.record("It isn't pending.")
            return
        }
    }

    @Test func `a clock that is wrong by hours does no harm`() async throws {
        for version in [PowerAuthVersion.v3_2, .v3_3] {
            let handset = try await Handset(skew: 7500) { $0.version = version }
            let id = try await handset.activated()
            let token = DeviceToken.apns(hex: String(repeating: "aa", count: 32), isSandbox: false)
            #expect(try await handset.authenticator.deviceTokenChanged(token).isEmpty)
            #expect(
                try await handset.simulator.activation(id.name).deviceToken
                    == .apns(hex: String(repeating: "AA", count: 32), isSandbox: false))
        }
    }

    // MARK: What the user brings

    @Test func `an OTP is asked for where the app wants one, and reaches the server`() async throws
    {
        let handset = try await Handset { $0.asksActivationOTP = true }
        await handset.simulator.configure { $0.invitation.password = .onKeyExchange("4711") }
        await handset.keypad.type(code: "4711")
        #expect(try await handset.enrolled().state == .active)

        await handset.keypad.type(code: "4712")
        #expect(await code { try await handset.enrolled() } == .invalidInvitation)
    }

    @Test func `no OTP is sent where the app asks for none`() async throws {
        let handset = try await Handset()
        let offer = try #require(
            try handset.authenticator.offers(for: await handset.simulator.invitation(for: "eva"))
                .first)
        let evidence: [Evidence] = [.pin(Secret("1234".utf8)), .code(Secret("4711".utf8))]
        // The simulator refuses an OTP that it didn't expect.
        _ = try await handset.provider.enroller.enroll(offer, with: evidence, deviceToken: nil)
    }

    @Test func `a PIN that is too short, or missing, is refused before the code is spent`()
        async throws
    {
        let handset = try await Handset { $0.minimumPINLength = 6 }
        await handset.keypad.type(pin: "12345")
        #expect(await code { try await handset.enrolled() } == .verificationFailed)
        let offer = try #require(
            try handset.authenticator.offers(for: await handset.simulator.invitation(for: "eva"))
                .first)
        #expect(
            await code {
                try await handset.provider.enroller.enroll(offer, with: [], deviceToken: nil)
            } == .verificationFailed)
        #expect(await handset.transport.exchanges.isEmpty)
    }

    @Test func `biometry is offered beside the PIN, and its secret unlocks a key of its own`()
        async throws
    {
        let handset = try await Handset()
        let finger = Secret(Array(repeating: 9, count: 32))
        await handset.keypad.lay(finger: finger)
        let id = try await handset.activated()
        #expect(
            await handset.keypad.requests.first?.alternatives
                == [[.newPIN, .newBiometry], [.newPIN]])
        try await handset.validate(.biometry(finger), of: id)
        try await handset.validate(.pin("1234"), of: id)
        let other = Secret(Array(repeating: 8, count: 32))
        #expect(await attemptsLeft { try await handset.validate(.biometry(other), of: id) } == 4)
    }

    @Test func `a biometric secret that is too short is refused before the code is spent`()
        async throws
    {
        let handset = try await Handset()
        await handset.keypad.lay(finger: Secret(Array(repeating: 9, count: 15)))
        #expect(await code { try await handset.enrolled() } == .verificationFailed)
        #expect(await handset.transport.exchanges.isEmpty)
        await handset.keypad.lay(finger: Secret(Array(repeating: 9, count: 16)))
        _ = try await handset.enrolled()
    }

    @Test func `without a finger there is no key for biometry`() async throws {
        let handset = try await Handset()
        let id = try await handset.activated()
        let finger = FactorKeys.biometry(Secret(Array(repeating: 9, count: 32)))
        #expect(await code { try await handset.validate(finger, of: id) } == .verificationFailed)
        #expect(try await handset.simulator.activation(id.name).failedAttempts == 0)
    }

    // MARK: What is stored

    @Test func `what must not be stored never is`() async throws {
        let store = InMemoryStore()
        let handset = try await Handset(store: store)
        let finger = Secret(Array(repeating: 9, count: 32))
        await handset.keypad.type(pin: "rather long PIN")
        await handset.keypad.lay(finger: finger)
        let id = try await handset.activated()
        let record = try await handset.record(id)

        let keys = try #require(
            try handset.random.draws.filter { $0.count == 32 }.lazy.compactMap { bytes in
                let secret = try ActivationKeys.masterSecret(
                    devicePrivateKey: .init(rawRepresentation: bytes),
                    serverPublicKey: record.serverPublicKey)
                let keys = try ActivationKeys(masterSecret: secret)
                return keys.possession.isEqualInConstantTime(to: record.possession)
                    ? (secret, keys, Secret(bytes)) : nil
            }.first)
        let (master, derived, privateKey) = keys
        let stored = try await handset.provider.channel.vault.existing(id).secret
        #expect(stored.contains(derived.transport))
        for secret in [
            master, derived.vault, derived.knowledge, derived.biometry, privateKey, finger,
            Secret("rather long PIN".utf8),
        ] { #expect(!stored.contains(secret)) }
    }

    @Test func `locked keys have no tag by which a PIN could be tried`() async throws {
        let handset = try await Handset()
        let lock = try #require(try await handset.record(try await handset.activated()).locked)
        #expect(lock.knowledge.locked.count == 16)
        let wrong = try await PINLock.Stretched(Secret("9999".utf8), for: lock.knowledge)
        #expect(try lock.knowledge.key(under: wrong)?.count == 16)
    }
}

extension Secret {
    func contains(_ other: Secret) -> Bool {
        let (whole, part) = (withBytes { Array($0) }, other.withBytes { Array($0) })
        return whole.contains(part)
    }
}
