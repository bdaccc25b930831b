import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A reply that isn't the server's, bit for bit, is nobody's:
/// `docs/vendors/powerauth.md#encryption`.
@Suite struct EncryptedCallTests {
    // MARK: Temporary keys

    private static let claims: [(String, JSON?)] = [
        ("applicationKey", "AAAAAAAAAAAAAAAAAAAAAA=="), ("applicationKey", nil),
        ("challenge", "AAAAAAAAAAAAAAAAAAAAAAAA"), ("challenge", nil), ("challenge", 5),
        ("publicKey", "AAAA"), ("publicKey", nil), ("sub", nil), ("sub", 1),
        ("exp", nil), ("iat", nil),
        ("activationId", "c564e700-7e86-4a87-b6c8-a5a0cc89683f"),
    ]

    @Test(arguments: claims)
    func `a signed key whose claims aren't ours is never sealed for`(
        _ claim: String, _ value: JSON?
    ) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        await bank.simulator.spoil(by: .replaced(member: claim, value: value), at: .keystore)
        _ = try? await phone.enroll()
        let enrolled = try await phone.authenticator.enrollments()
        if claim == "exp" || claim == "iat" {
            // Either is told in milliseconds, too: a client may read that.
            #expect(await bank.requests(.activation).allSatisfy { $0.status == 200 })
        } else {
            #expect(enrolled.isEmpty)
            #expect(await bank.count(.activation) == 0)
        }
    }

    @Test func `a key that ran out before it came isn't used`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let old = Int64(Bank.start.timeIntervalSince1970) - 400
        await bank.simulator.spoil(by: .replaced(member: "exp_ms", value: 0), at: .keystore)
        _ = try? await phone.enroll()
        #expect(await bank.count(.activation) == 0)
        await bank.simulator.spoil(
            by: .replaced(member: "exp", value: JSON.integer(old)), at: .keystore)
        _ = try? await phone.enroll()
        #expect(await bank.requests(.activation).allSatisfy { $0.status == 200 })
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey, .unsigned])
    func `a key that the server didn't sign is never sealed for`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        await bank.simulator.spoil(by: fault, at: .keystore)
        let error = try await refusal { try await phone.enroll() }
        #expect(error.code == .untrusted || error.code == .malformed)
        #expect(await bank.count(.activation) == 0)
        // The activation scope has the server's own key for it.
        let id = try await phone.activated()
        await bank.simulator.spoil(by: fault, at: .keystore)
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.pending(for: id)
        }
        #expect(await bank.count(.tokenCreation) == 0)
    }

    @Test func `no bit of a reply with a key can be flipped`() async throws {
        for bit in stride(from: 0, to: 8000, by: 173) {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            await phone.fail(.keystore, .corrupt(bit: bit))
            _ = try? await phone.enroll()
            let used = await bank.requests(.activation)
            // What isn't signed, such as the word OK, may differ; a key that was taken is the server's.
            #expect(used.allSatisfy { $0.status == 200 }, "bit \(bit)")
        }
    }

    @Test func `one key serves until shortly before its end`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        try await phone.enroll()
        phone.pass(285)
        try await phone.enroll()
        #expect(await bank.count(.keystore) == 1)
        phone.pass(6)
        try await phone.enroll()
        #expect(await bank.count(.keystore) == 2)
        #expect(await bank.requests(.activation).allSatisfy { $0.status == 200 })
    }

    @Test func `a lost key is made up for without spending the code`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        try await phone.enroll()
        await bank.simulator.forgetTemporaryKeys()
        try await phone.enroll()
        #expect(try await phone.authenticator.enrollments().count == 2)
    }

    // MARK: Envelopes

    @Test(arguments: PowerAuthVersion.allCases)
    func `no bit of a sealed reply can be flipped`(_ version: PowerAuthVersion) async throws {
        for bit in stride(from: 0, to: 9000, by: 311) {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
            await phone.fail(.activation, .corrupt(bit: bit))
            guard let enrollment = try? await phone.enroll() else { continue }
            // It was a bit that means nothing: the activation works.
            try await bank.simulator.commit(enrollment.id.name)
            let outcome = try await phone.approve(try await bank.ask(), at: enrollment.id)
            #expect(outcome == .delivered, "bit \(bit)")
        }
    }

    @Test func `a token under a reply that was changed isn't taken`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await bank.ask()
        for bit in stride(from: 10, to: 1600, by: 97) {
            await phone.fail(.tokenCreation, .corrupt(bit: bit))
            _ = try? await phone.authenticator.pending(for: id)
            try await bank.simulator.forgetTokens(of: id.name)
        }
        #expect(try await phone.authenticator.pending(for: id).count <= 1)
        #expect(await bank.requests(.list).count { $0.status == 200 } >= 1)
        let counters = await bank.counters(of: id)
        #expect(Set(counters).count == counters.count)
    }

    @Test func `every failure to open a reply reads alike`() async throws {
        var reasons: Set<String> = []
        for (member, fault) in [
            ("mac", PowerAuthSimulator.BadAnswer.tampered), ("key", .wrongKey),
        ] {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            await bank.simulator.spoil(by: fault, at: .activation)
            let error = try await refusal { try await phone.enroll() }
            #expect(error.code == .untrusted, "\(member)")
            reasons.insert(error.reason)
        }
        #expect(reasons.count == 1)
    }

    @Test func `each envelope has an ephemeral key and a nonce of its own`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        for _ in 0..<3 { _ = try await phone.activated() }
        for id in try await phone.authenticator.enrollments().map(\.id) {
            _ = try await phone.authenticator.pending(for: id)
        }
        var keys: Set<String> = []
        var nonces: Set<String> = []
        let sealed = await bank.requests(.activation) + (await bank.requests(.tokenCreation))
        for exchange in sealed {
            let envelope = try JSON(parsing: exchange.body)
            keys.insert(try #require(envelope["ephemeralPublicKey"]?.string))
            nonces.insert(try #require(envelope["nonce"]?.string))
        }
        #expect(sealed.count == 6)
        #expect(keys.count == 6)
        #expect(nonces.count == 6)
    }

    @Test func `a refusal of a sealed request is plain, and is read`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        await bank.simulator.spoil(
            by: .refusal(status: 400, code: "ERR_ENCRYPTION"), at: .activation, times: 3)
        let error = try await refusal { try await phone.enroll() }
        #expect(error.underlying as? PowerAuthErrorCode == .encryption)
        #expect(await bank.count(.activation) <= 2)
    }

    // MARK: Versions

    @Test(arguments: PowerAuthVersion.allCases)
    func `envelopes by a wrong clock are taken, for the server's time is known`(
        _ version: PowerAuthVersion
    ) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank, skew: 100_000) { $0.version = version }
        let id = try await phone.activated()
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }
}
