import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// What the core asks of every provider, over the examples' pushes.
@Suite struct ConformanceTests {
    private func fixtures(_ harness: ScriptedHarness) throws -> ProviderFixtures {
        let key = try harness.vectors.key("server")
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
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(to: .poll, .page(502))
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try fixtures(harness))
        let findings = await conformance.check()
        #expect(findings == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(to: .poll, .page(502))
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try fixtures(harness))
        let findings = await conformance.check(behind: harness.authenticator)
        #expect(findings == [])
    }

    @Test func `however many pushes of an unknown serial come, the records are listed once`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let key = try harness.vectors.key("server")
        let message = try SignedChallenge(serial: "PIPU9").message(by: key)
        let before = await harness.reads.listings
        for _ in 0..<20 {
            let error = try await refusal { _ = try await harness.authenticator.receive(message) }
            #expect(error.code == .unknownEnrollment)
        }
        #expect(await harness.reads.listings == before + 1)
        #expect(try await harness.authenticator.records().isEmpty)
    }

    @Test func `a push that names its server is found without listing anything`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let before = await harness.reads.listings
        let message = try SignedChallenge().message(by: harness.vectors.key("server"))
        _ = try await harness.authenticator.receive(message)
        #expect(await harness.reads.listings == before)
    }
}
