import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Tokens for reading and for push registration: `docs/vendors/powerauth.md#tokens`, and `#time`.
@Suite struct TokenUseTests {
    private func listed(_ phone: PowerAuthHarness, _ id: Enrollment.ID) async throws -> Int {
        try await phone.authenticator.pending(for: id).count
    }

    @Test func `one token serves all reading, and no reading uses the counter`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated(token: .fcm("t"))
        _ = try await bank.ask()
        for _ in 0..<5 { _ = try await listed(phone, id) }
        _ = try await phone.inbox(id).countUnread()
        #expect(await bank.count(.tokenCreation) == 1)
        #expect(await bank.counters(of: id) == [0])
        let header = try await bank.header("X-PowerAuth-Token", of: .list)
        #expect(
            Set(header.keys) == ["version", "token_id", "token_digest", "nonce", "timestamp"])
        #expect(try await bank.record(id).tokens == [try #require(header["token_id"])])
    }

    @Test func `each use has a nonce of its own`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        for _ in 0..<10 { _ = try await listed(phone, id) }
        var nonces: Set<String> = []
        for exchange in await bank.requests(.list) {
            let field = try #require(HTTPField.Name("X-PowerAuth-Token"))
            let text = try #require(exchange.request.headerFields[field])
            nonces.insert(try #require(Bank.pairs(text)["nonce"]))
        }
        #expect(nonces.count == 10)
    }

    @Test func `a network that brings a request twice has the copy refused, and it is mended`()
        async throws
    {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await listed(phone, id)
        let operation = try await bank.ask()
        // The second copy is a replay: 401. The status is asked, and a new token made once.
        await phone.fail(.list, .duplicate)
        _ = try await phone.authenticator.pending(for: id)
        #expect(try await phone.ledger(operation, at: id) == .open)
        #expect(await bank.count(.tokenCreation) == 2)
    }

    @Test(arguments: [120.0, 3600, -120, -7100, -86_400], PowerAuthVersion.allCases)
    func `a clock that is wrong does no harm`(
        _ skew: TimeInterval, _ version: PowerAuthVersion
    ) async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank, skew: skew) { $0.version = version }
        let id = try await phone.activated(token: .fcm("t"))
        let operation = try await bank.ask()
        #expect(try await phone.approve(operation, at: id) == .delivered)
        #expect(await bank.requests(.list).allSatisfy { $0.status == 200 })
        #expect(try await bank.record(id).deviceToken == .fcm("t"))
    }

    @Test func `a clock that is set while the app runs does no harm`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await listed(phone, id)
        phone.clock.set(phone.clock.now + 4000)
        _ = try await bank.ask()
        #expect(try await listed(phone, id) == 1)
        #expect(await bank.count(.tokenCreation) == 1)
    }

    @Test func `a phone that starts with a fast clock reads by a token that it has`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await listed(phone, id)
        let later = try await PowerAuthHarness(of: bank, disk: phone.disk, skew: 120)
        _ = try await bank.ask()
        // At first it can't know how fast its clock is: it asks, and keeps its token.
        #expect(try await listed(later, id) == 1)
        #expect(await bank.count(.tokenCreation) == 1)
        _ = try await listed(later, id)
        #expect(await bank.requests(.list).suffix(2).allSatisfy { $0.status == 200 })
    }

    @Test func `a token that the server lost is made again, once`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await listed(phone, id)
        try await bank.simulator.forgetTokens(of: id.name)
        _ = try await bank.ask()
        let asked = await bank.count(.status)
        #expect(try await listed(phone, id) == 1)
        #expect(await bank.count(.tokenCreation) == 2)
        #expect(await bank.count(.status) == asked + 1)
        // The new one is kept.
        let again = try await phone.restarted()
        _ = try await again.authenticator.pending(for: id)
        #expect(await bank.count(.tokenCreation) == 2)
    }

    @Test func `a server that refuses every token isn't besieged`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        await bank.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .list, times: 20)
        await #expect(throws: PushError.self) { _ = try await listed(phone, id) }
        #expect(await bank.count(.list) <= 2)
        #expect(await bank.count(.tokenCreation) <= 2)
        #expect(try await phone.state(id) == .active)
    }

    @Test func `a refusal of a blocked one's token is told as what it is`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await listed(phone, id)
        try await bank.simulator.block(id.name)
        let error = try await refusal { _ = try await listed(phone, id) }
        #expect(error.code == .blocked)
        guard case .blocked? = try await phone.state(id) else {
            Issue.record("The state isn't on record.")
            return
        }
        #expect(await bank.count(.tokenCreation) == 1)
    }

    @Test func `tokens die with the activation`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        _ = try await listed(phone, id)
        try await bank.simulator.remove(id.name)
        await #expect(throws: PushError.self) { _ = try await listed(phone, id) }
        #expect(try await phone.state(id) == .needsReenrollment)
    }

    @Test func `a server that knows the older names is told those, once`() async throws {
        let bank = Bank()
        await bank.configure { $0.platforms = .before110 }
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated(
            token: .apns(hex: String(repeating: "ab12", count: 16), isSandbox: false))
        #expect(try await bank.record(id).registeredPlatform == "ios")
        #expect(await bank.count(.registration) == 2)
        let names = try await bank.requests(.registration).map {
            try JSON(parsing: $0.body)["requestObject"]?["platform"]?.string
        }
        #expect(names == ["apns", "ios"])
        #expect(
            try await bank.sent(.registration)["token"]?.string
                == String(repeating: "AB12", count: 16))
    }

    @Test func `a newer server is told where the token is good`() async throws {
        let bank = Bank()
        await bank.configure { $0.platforms = .newOnly }
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated(
            token: .apns(hex: String(repeating: "ab12", count: 16), isSandbox: true))
        let sent = try await bank.sent(.registration)
        #expect(sent["platform"] == "apns")
        #expect(sent["environment"] == "development")
        try await phone.authenticator.deviceTokenChanged(.fcm("R:1"), for: id)
        #expect(try await bank.sent(.registration)["platform"] == "fcm")
        #expect(try await bank.record(id).deviceToken == .fcm("R:1"))
        #expect(await bank.count(.registration) == 2)
    }
}
