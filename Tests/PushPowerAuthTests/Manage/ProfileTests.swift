import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// An activation's name and its user, as the server has them.
@Suite struct ProfileTests: ServedSuite {
    let served: Served

    init() async throws {
        served = try await Served()
        await served.bank.configure {
            $0.userInfo = [
                Bank.user: [
                    "sub": "petra", "name": "Petra Nová", "given_name": "Petra",
                    "family_name": "Nová", "email": "petra@example.com",
                    "phone_number": "+420 123", "jti": "7", "iat": 1_790_000_000,
                ]
            ]
        }
    }

    private func manager() throws -> PowerAuthManager { try phone.manager(id) }

    // MARK: The name

    @Test(arguments: PowerAuthVersion.allCases)
    func `the name is told by a token of two factors, which is made once`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let id = try await phone.activated()
        let manager = try phone.manager(id)
        #expect(try await manager.detail().name == "Petra's phone")
        let asked = await phone.customer.requests.count
        #expect(try await manager.detail().name == "Petra's phone")
        #expect(await phone.customer.requests.count == asked)
        #expect(await phone.calls(.tokenCreation) == 1)
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `it is renamed by PIN or by finger, signed before it is encrypted`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness(
            of: bank, customer: Customer(finger: Customer.finger)
        ) { $0.version = version }
        let id = try await phone.activated()
        let manager = try phone.manager(id)
        #expect(try await manager.rename(to: "Blue phone").name == "Blue phone")
        await phone.customer.prefer(finger: false)
        #expect(try await manager.rename(to: "Žlutý telefon").name == "Žlutý telefon")
        #expect(try await bank.record(id).deviceName == "Žlutý telefon")
        #expect(try await manager.detail().name == "Žlutý telefon")
        let body = try #require(await bank.requests(.renaming).last).body
        #expect(!String(decoding: body, as: UTF8.self).contains("telefon"))
    }

    @Test func `a name that can't be shown as it is isn't sent, and no counter moves`()
        async throws
    {
        let before = try await phone.record(id).counter
        for name in ["", "a\u{7}", "two\nlines", String(repeating: "ž", count: 65), "a\u{202E}b"] {
            #expect(
                await code { try await manager().rename(to: name) } == .invalidArgument)
        }
        #expect(await phone.calls(.renaming) == 0)
        #expect(try await phone.record(id).counter == before)
    }

    @Test func `a wrong PIN changes no name, is sent once, and counts`() async throws {
        await phone.customer.type("9999")
        #expect(await attemptsLeft { try await manager().rename(to: "Mine") } == 4)
        #expect(await phone.calls(.renaming) == 1)
        #expect(try await bank.record(id).deviceName == "Petra's phone")
        #expect(await attemptsLeft { _ = try await manager().detail() } == 3)
        await phone.customer.type(Customer.pin)
        try await manager().rename(to: "Mine")
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `whoever gives up changes nothing`() async throws {
        await phone.customer.leave()
        #expect(await code { try await manager().rename(to: "Mine") } == .cancelled)
        #expect(await code { try await manager().detail() } == .cancelled)
        #expect(await phone.calls(.renaming) == 0)
    }

    @Test func `after a lost reply the counters are brought together, and it may be said again`()
        async throws
    {
        await phone.fail(.renaming, .dropAfter)
        #expect(await code { try await manager().rename(to: "Mine") } == .interrupted)
        #expect(await phone.calls(.renaming) == 1)
        #expect(try await phone.record(id).ahead == 0)
        #expect(try await manager().rename(to: "Mine").name == "Mine")
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `a token that the server lost is forgotten, and the next call makes another`()
        async throws
    {
        _ = try await manager().detail()
        try await bank.simulator.forgetTokens(of: id.name)
        #expect(await code { try await manager().detail() } == .server(status: 401))
        #expect(try await manager().detail().name == "Petra's phone")
    }

    @Test func `a key that the server lost is replaced once, and no signature is counted as wrong`()
        async throws
    {
        _ = try await manager().detail()
        await bank.simulator.forgetTemporaryKeys()
        #expect(try await manager().detail().name == "Petra's phone")
        await bank.simulator.forgetTemporaryKeys()
        try await manager().rename(to: "Mine")
        await bank.simulator.forgetTemporaryKeys()
        _ = try await manager().userInfo()
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test(arguments: [
        ("activationId", JSON.string("6a7d3f02-9c1e-4b58-8f3a-0d6b5e2c4a91")),
        ("activationId", nil), ("activationName", nil), ("activationName", 7),
    ])
    func `a reply about another activation, or about none, isn't believed`(
        _ member: String, _ value: JSON?
    ) async throws {
        for call in [Bank.Call.activationDetail, .renaming] {
            await bank.simulator.spoil(by: .replaced(member: member, value: value), at: call)
        }
        #expect(await code { try await manager().detail() } == .malformed)
        #expect(await code { try await manager().rename(to: "Mine") } == .malformed)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey])
    func `a reply that isn't sealed for this activation is refused`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        for call in [Bank.Call.activationDetail, .renaming, .userInfo] {
            await bank.simulator.spoil(by: fault, at: call)
        }
        #expect(await code { try await manager().detail() } == .untrusted)
        #expect(await code { try await manager().rename(to: "Mine") } == .untrusted)
        #expect(await code { try await manager().userInfo() } == .untrusted)
    }

    @Test func `two processes give names at once, and no counter is used twice`() async throws {
        let before = try await phone.record(id).counter
        let other = try await phone.another()
        let (first, second) = (try manager(), try other.manager(id))
        async let one = first.rename(to: "One")
        async let two = second.rename(to: "Two")
        // Whichever arrives second may have the older value, which servers refuse.
        _ = try? await one
        _ = try? await two
        let moved = try await phone.record(id).counter.byte &- before.byte
        #expect(await Int(moved) >= bank.count(.renaming))
        try await manager().rename(to: "Three")
        #expect(try await bank.record(id).deviceName == "Three")
    }

    // MARK: The user

    @Test(arguments: PowerAuthVersion.allCases)
    func `what is told of the user is read, and asks nobody`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let id = try await phone.activated()
        let before = try await phone.record(id).counter
        let asked = await phone.customer.requests.count
        let info = try await phone.manager(id).userInfo()
        #expect(info.subject == "petra")
        #expect(info.name == "Petra Nová")
        #expect(info.givenName == "Petra")
        #expect(info.familyName == "Nová")
        #expect(info.email == "petra@example.com")
        #expect(info.phoneNumber == "+420 123")
        #expect(info.claims["jti"] == "7")
        #expect(try await phone.record(id).counter == before)
        #expect(await phone.customer.requests.count == asked)
    }

    @Test func `a server that knows nothing of the user says so, and that is no error`()
        async throws
    {
        await bank.configure { $0.userInfo = [:] }
        let info = try await manager().userInfo()
        #expect(info.claims.isEmpty)
        #expect(info.name == nil)
    }

    @Test func `a refusal is the server's own, and a blocked activation isn't even asked about`()
        async throws
    {
        await bank.simulator.spoil(
            by: .refusal(status: 400, code: "ERR_USER_INFO"), at: .userInfo)
        let error = await #expect(throws: PushError.self) { try await manager().userInfo() }
        #expect(error?.underlying as? PowerAuthErrorCode == .userInfo)
        try await bank.simulator.block(id.name)
        _ = try await phone.authenticator.refresh(id)
        #expect(await code { try await manager().userInfo() } == .blocked)
        #expect(await phone.calls(.userInfo) == 1)
    }

    @Test func `nothing of the user is stored`() async throws {
        _ = try await manager().userInfo()
        for text in ["petra@example.com", "Nová"] {
            #expect(try await !phone.disk.holds(Array(text.utf8)))
        }
    }
}
