import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What the core asks of every provider, over every message that this one meets.
@Suite struct ConformanceTests {
    @Test func `the conformance suite finds nothing alone`() async throws {
        let harness = try await XignInHarness(vectors: true)
        let fixtures = try await Fixtures(harness: harness).all()
        let conformance = ProviderConformance(
            harness.phone.provider, in: harness.phone.app.environment, fixtures: fixtures)
        let findings = await conformance.check()
        #expect(findings == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let harness = try await XignInHarness(vectors: true)
        let fixtures = try await Fixtures(harness: harness).all()
        let conformance = ProviderConformance(
            harness.phone.provider, in: harness.phone.app.environment, fixtures: fixtures)
        let findings = await conformance.check(behind: harness.phone.authenticator)
        #expect(findings == [])
    }

    @Test func `every forged or unreadable message is refused, and leaves nothing`() async throws {
        let harness = try await XignInHarness(vectors: true)
        let fixtures = Fixtures(harness: harness)
        let before = await harness.phone.store.now.count
        let accounts = harness.phone.app.environment.accounts(for: harness.phone.provider.id)
        for message in try await fixtures.forged() + fixtures.malformed() {
            #expect(harness.phone.provider.candidate(in: message) != nil)
            await #expect(throws: PushError.self) {
                let candidate = harness.phone.provider.candidate(in: message)
                _ = try await candidate?.verified(with: accounts)
            }
            await #expect(throws: PushError.self) {
                _ = try await harness.phone.authenticator.receive(message)
            }
        }
        #expect(await harness.phone.store.now.count == before)
        #expect(try await harness.phone.authenticator.records().isEmpty)
    }

    @Test func `every foreign message is left alone`() async throws {
        let harness = try await XignInHarness(vectors: true)
        for message in try Fixtures(harness: harness).foreign() {
            #expect(harness.phone.provider.candidate(in: message) == nil)
            #expect(try await harness.phone.authenticator.receive(message).isEmpty)
        }
        #expect(harness.phone.observer.observations.isEmpty)
    }

    // Anybody can make such a message.
    @Test func `what isn't personalized here is counted, and says nothing to the user`()
        async throws
    {
        let harness = try await XignInHarness(vectors: true)
        let data = try await harness.manager.push("prc-1", to: "act-other").data(
            harness.manager.key)
        for _ in 0..<20 {
            #expect(
                await harness.phone.refusal(of: data)?.code == .identityManagerNotPersonalized)
        }
        let observations = harness.phone.observer.observations
        #expect(!observations.isEmpty)
        #expect(observations.allSatisfy { !$0.summary.contains("prc-1") })
    }
}
