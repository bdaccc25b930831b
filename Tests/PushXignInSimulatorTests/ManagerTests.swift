import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// Several managers beside one another, and one that is run twice.
struct ManagerTests {
    @Test func `managers share neither keys, accounts nor logins`() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_767_225_600))
        let one = Bench("idm-one", seed: 1, clock: clock)
        let two = Bench("idm-two", seed: 2, clock: clock)
        let first = try await one.personalized()
        let second = try await two.personalized()
        let (id, pushes) = try await one.login()
        #expect(pushes[0].claims["iss"] == "idm-one")
        #expect(pushes[0].token.isSigned(by: first.managerKey))
        #expect(!pushes[0].token.isSigned(by: second.managerKey))
        #expect(try await two.received().isEmpty)
        let strayed = try await two.ask(
            second, .post, "processes/\(id)/initialization",
            ["message_jti": pushes[0].claims["jti"] ?? .null])
        #expect(strayed.verdict == "404 process_unknown")
        // A request of the one's device, meant for the one, at the other.
        let draft = one.draft(first, .get, "activations/\(first.activation)/manager-keys", Data())
        #expect(try await two.send(draft).verdict == "404 activation_unknown")
    }

    @Test func `a proof for one manager is none for another, even with the same names`()
        async throws
    {
        let one = Bench("idm-one", seed: 1)
        let two = Bench("idm-two", seed: 1)
        let first = try await one.personalized()
        let second = try await two.personalized()
        #expect(first.activation == second.activation)
        let draft = one.draft(first, .get, "activations/\(first.activation)/manager-keys", Data())
        #expect(try await two.send(draft).verdict == "401 invalid_device_signature")
    }

    /// All that a seed decides: what was signed, not the signatures, which are randomized.
    private func story(seed: UInt64) async throws -> [Data] {
        let bench = Bench(seed: seed)
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login()
        let data = try await bench.start(phone, pushes[0]).data
        _ = try await bench.tryPIN("13579", phone, id, data)
        let answers = try await bench.manager.exchanges.map {
            try Token(String(decoding: $0.responseBody, as: UTF8.self)).signed
        }
        return answers + pushes.map(\.token.signed)
    }

    @Test func `one seed is one story`() async throws {
        let story = try await story(seed: 7)
        #expect(try await self.story(seed: 7) == story)
        let other = try await self.story(seed: 8)
        for (one, other) in zip(story, other) { #expect(one != other) }
    }

    @Test func `identifiers can't be guessed, and don't repeat`() async throws {
        let bench = Bench()
        _ = try await bench.personalized()
        var seen: Set<String> = []
        for _ in 0..<50 {
            let (id, pushes) = try await bench.login()
            #expect(id.count >= 4 + 22)
            seen.insert(id)
            seen.insert(try #require(pushes[0].claims["jti"]?.string))
        }
        #expect(seen.count == 100)
    }

    @Test func `the name is for people`() {
        #expect(Bench().manager.name == "XignIn")
    }

    @Test func `versions compare as numbers`() {
        typealias Version = XignInSimulator.Version
        #expect(Version(1, 10, 0) > Version(1, 9, 99_999))
        #expect(Version(2, 0, 0) > Version(1, 99_999, 99_999))
        #expect("\(Version(1, 2, 3))" == "1.2.3")
        #expect(Version(-1, 100_000, 0) == Version(0, 99_999, 0))
    }
}
