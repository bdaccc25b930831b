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
        let phone = try await PowerAuthHarness { $0.version = version }
        let enrollment = try await phone.enroll()
        let known = try await phone.simulator.activation(enrollment.id.name)
        #expect(known.state == .pendingCommit)
        #expect(enrollment.state == .pending(.comparison(code: try #require(known.fingerprint))))
        #expect(known.deviceName == "Petra's phone")
        #expect(known.platform == "ios")
        #expect(enrollment.host == "mobile.powerauth.example")

        try await phone.simulator.commit(enrollment.id.name)
        #expect(try await phone.authenticator.refresh(enrollment.id).state == .active)
        try await phone.validate(.pin(Customer.pin), of: enrollment.id)
    }

    @Test func `a server that commits at once makes it active at once`() async throws {
        let phone = try await PowerAuthHarness()
        await phone.simulator.configure { $0.invitation.commitPhase = .onKeyExchange }
        #expect(try await phone.enroll().state == .active)
    }

    @Test func `a state that can't be asked for leaves the comparison, and no error`() async throws
    {
        let phone = try await PowerAuthHarness()
        await phone.fail(.status, .refuse)
        guard case .pending(.comparison) = try await phone.enroll().state else {
            Issue.record("It isn't pending.")
            return
        }
    }

    @Test func `a clock that is wrong by hours does no harm`() async throws {
        for version in [PowerAuthVersion.v3_2, .v3_3] {
            let phone = try await PowerAuthHarness(skew: 7500) { $0.version = version }
            let id = try await phone.activated()
            let token = DeviceToken.apns(hex: String(repeating: "aa", count: 32), isSandbox: false)
            #expect(try await phone.authenticator.deviceTokenChanged(token).isEmpty)
            #expect(
                try await phone.simulator.activation(id.name).deviceToken
                    == .apns(hex: String(repeating: "AA", count: 32), isSandbox: false))
        }
    }

    @Test func `an offer carries the code without its signature, and one made by hand is checked`()
        async throws
    {
        let phone = try await PowerAuthHarness()
        let invitation = try await phone.simulator.invitation(for: "eva")
        let offer = try #require(try phone.authenticator.offers(for: invitation).first)
        #expect(offer.invitation.scannedText == nil)

        let scanned = try #require(invitation.scannedText)
        let other = try await phone.simulator.invitation(for: "eva").scannedText ?? ""
        let swapped = scanned.prefix { $0 != "#" } + other.drop { $0 != "#" }
        let forged = Invitation.Offer(
            provider: offer.provider, invitation: .scanned(text: String(swapped)))
        let evidence = [Evidence.pin(Secret(Customer.pin.utf8))]
        #expect(
            await code {
                try await phone.provider.enroller.enroll(forged, with: evidence, deviceToken: nil)
            } == .invalidInvitation)
        #expect(await phone.transport.exchanges.isEmpty)
        let own = Invitation.Offer(provider: offer.provider, invitation: invitation)
        _ = try await phone.provider.enroller.enroll(own, with: evidence, deviceToken: nil)
    }

    // MARK: What the user brings

    @Test func `an OTP is asked for where the app wants one, and reaches the server`() async throws
    {
        let phone = try await PowerAuthHarness { $0.asksActivationOTP = true }
        await phone.simulator.configure { $0.invitation.password = .onKeyExchange("4711") }
        await phone.customer.type(code: "4711")
        #expect(try await phone.enroll().state == .active)

        await phone.customer.type(code: "4712")
        #expect(await code { try await phone.enroll() } == .invalidInvitation)
    }

    @Test func `no OTP is sent where the app asks for none`() async throws {
        let phone = try await PowerAuthHarness()
        let offer = try #require(
            try phone.authenticator.offers(for: await phone.simulator.invitation(for: "eva"))
                .first)
        let evidence: [Evidence] = [.pin(Secret(Customer.pin.utf8)), .code(Secret("4711".utf8))]
        // The simulator refuses an OTP that it didn't expect.
        _ = try await phone.provider.enroller.enroll(offer, with: evidence, deviceToken: nil)
    }

    @Test func `a PIN that is too short, or missing, is refused before the code is spent`()
        async throws
    {
        let phone = try await PowerAuthHarness { $0.minimumPINLength = 6 }
        await phone.customer.type("12345")
        #expect(await code { try await phone.enroll() } == .verificationFailed)
        let offer = try #require(
            try phone.authenticator.offers(for: await phone.simulator.invitation(for: "eva"))
                .first)
        #expect(
            await code {
                try await phone.provider.enroller.enroll(offer, with: [], deviceToken: nil)
            } == .verificationFailed)
        #expect(await phone.transport.exchanges.isEmpty)
    }

    @Test func `biometry is offered beside the PIN, and its secret unlocks a key of its own`()
        async throws
    {
        let phone = try await PowerAuthHarness()
        let finger = Secret(Array(repeating: 9, count: 32))
        await phone.customer.lay(finger: finger)
        let id = try await phone.activated()
        #expect(
            await phone.customer.requests.first?.alternatives
                == [[.newPIN, .newBiometry], [.newPIN]])
        try await phone.validate(.biometry(finger), of: id)
        try await phone.validate(.pin(Customer.pin), of: id)
        let other = Secret(Array(repeating: 8, count: 32))
        #expect(await attemptsLeft { try await phone.validate(.biometry(other), of: id) } == 4)
    }

    @Test func `a biometric secret that is too short is refused before the code is spent`()
        async throws
    {
        let phone = try await PowerAuthHarness()
        await phone.customer.lay(finger: Secret(Array(repeating: 9, count: 15)))
        #expect(await code { try await phone.enroll() } == .verificationFailed)
        #expect(await phone.transport.exchanges.isEmpty)
        await phone.customer.lay(finger: Secret(Array(repeating: 9, count: 16)))
        _ = try await phone.enroll()
    }

    @Test func `without a finger there is no key for biometry`() async throws {
        let phone = try await PowerAuthHarness()
        let id = try await phone.activated()
        let finger = PowerAuthFactors.biometry(Secret(Array(repeating: 9, count: 32)))
        #expect(await code { try await phone.validate(finger, of: id) } == .verificationFailed)
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
    }

    // MARK: What is stored

    @Test func `what must not be stored never is`() async throws {
        let disk = Disk()
        let phone = try await PowerAuthHarness(disk: disk)
        let finger = Secret(Array(repeating: 9, count: 32))
        await phone.customer.type("rather long PIN")
        await phone.customer.lay(finger: finger)
        let id = try await phone.activated()
        let record = try await phone.record(id)

        let keys = try #require(
            try phone.random.draws.filter { $0.count == 32 }.lazy.compactMap { bytes in
                let secret = try ActivationKeys.masterSecret(
                    devicePrivateKey: .init(rawRepresentation: bytes),
                    serverPublicKey: record.serverPublicKey)
                let keys = try ActivationKeys(masterSecret: secret)
                return keys.possession.isEqualInConstantTime(to: record.possession)
                    ? (secret, keys, Secret(bytes)) : nil
            }.first)
        let (master, derived, privateKey) = keys
        let stored: Secret = try await phone.account(id).credential()
        #expect(stored.contains(derived.transport))
        for secret in [
            master, derived.vault, derived.knowledge, derived.biometry, privateKey, finger,
            Secret("rather long PIN".utf8),
        ] { #expect(!stored.contains(secret)) }
    }

    @Test func `locked keys have no tag by which a PIN could be tried`() async throws {
        let phone = try await PowerAuthHarness()
        let lock = try #require(try await phone.record(try await phone.activated()).locked)
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
