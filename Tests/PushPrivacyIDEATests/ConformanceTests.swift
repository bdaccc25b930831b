import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// What the core asks of every provider, over the examples' pushes.
@Suite struct ConformanceTests {
    private func fixtures(_ world: World) throws -> ProviderFixtures {
        let key = try world.vectors.key("server")
        let genuine = [
            SignedChallenge(nonce: "G0"), SignedChallenge(nonce: "G1", presence: "83,07,12"),
            SignedChallenge(nonce: "G2", capabilities: nil),
            SignedChallenge(nonce: "G3", question: "", title: ""),
            SignedChallenge(nonce: "G4", url: "https://pi.example.com:443/other?x=%7E"),
        ]
        var fixtures = ProviderFixtures(genuine: try genuine.map { try $0.message(by: key) })
        func bad(_ word: String) throws -> [PushMessage] {
            try PushVector.bad.filter { $0.expected.hasPrefix(word) }.map { try $0.message() }
        }
        fixtures.forged = try bad("untrusted")
        fixtures.malformed = try bad("malformed")
        fixtures.foreign =
            try bad("notOurs") + [PushMessage(text: "otpauth://pipush/x", by: .scanned)]
        fixtures.unknownPrompts = try bad("deny only")
        return fixtures
    }

    @Test func `the conformance suite finds nothing in the provider alone`() async throws {
        let world = try await World.enrolled()
        await world.server.replyAlways(to: .poll, .page(502))
        #expect(
            await ProviderConformance(world.provider, fixtures: try fixtures(world)).check() == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let world = try await World.enrolled()
        await world.server.replyAlways(to: .poll, .page(502))
        let conformance = ProviderConformance(world.provider, fixtures: try fixtures(world))
        #expect(await conformance.check(behind: world.authenticator) == [])
    }

    @Test func `however many pushes of an unknown serial come, the records are listed once`()
        async throws
    {
        let world = try await World.enrolled()
        let key = try world.vectors.key("server")
        let message = try SignedChallenge(serial: "PIPU9").message(by: key)
        let before = await world.reads.listings
        for _ in 0..<20 {
            let error = try await refused { _ = try await world.authenticator.receive(message) }
            #expect(error.code == .unknownEnrollment)
        }
        #expect(await world.reads.listings == before + 1)
        #expect(try await world.authenticator.records().isEmpty)
    }

    @Test func `a push that names its server is found without listing anything`() async throws {
        let world = try await World.enrolled()
        let before = await world.reads.listings
        let message = try SignedChallenge().message(by: world.vectors.key("server"))
        _ = try await world.authenticator.receive(message)
        #expect(await world.reads.listings == before)
    }
}
