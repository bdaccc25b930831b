import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What the core asks of every provider, over every message that this one meets.
@Suite struct ConformanceTests {
    @Test func `the conformance suite finds nothing alone`() async throws {
        let world = try await World(vectors: true)
        let fixtures = try await Fixtures(world: world).all()
        #expect(await ProviderConformance(world.phone.provider, fixtures: fixtures).check() == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let world = try await World(vectors: true)
        let fixtures = try await Fixtures(world: world).all()
        let conformance = ProviderConformance(world.phone.provider, fixtures: fixtures)
        let findings = await conformance.check(behind: world.phone.authenticator)
        #expect(findings.isEmpty, "\(findings.prefix(5))")
    }

    @Test func `every forged or unreadable message is refused, and leaves nothing`() async throws {
        let world = try await World(vectors: true)
        let fixtures = Fixtures(world: world)
        let before = await world.phone.store.now.count
        for message in try await fixtures.forged() + fixtures.malformed() {
            #expect(world.phone.provider.candidate(in: message) != nil)
            await #expect(throws: PushError.self) {
                _ = try await world.phone.provider.candidate(in: message)?.verified()
            }
            await #expect(throws: PushError.self) {
                _ = try await world.phone.authenticator.receive(message)
            }
        }
        #expect(await world.phone.store.now.count == before)
        #expect(try await world.phone.authenticator.records().isEmpty)
    }

    @Test func `every foreign message is left alone`() async throws {
        let world = try await World(vectors: true)
        for message in try Fixtures(world: world).foreign() {
            #expect(world.phone.provider.candidate(in: message) == nil)
            #expect(try await world.phone.authenticator.receive(message).isEmpty)
        }
        #expect(world.phone.observer.observations.isEmpty)
    }

    // Anybody can make such a message.
    @Test func `what isn't personalized here is counted, and says nothing to the user`()
        async throws
    {
        let world = try await World(vectors: true)
        let data = try await world.manager.push("prc-1", to: "act-other").data(world.manager.key)
        for _ in 0..<20 {
            #expect(
                await world.phone.refusal(of: data)?.code == .identityManagerNotPersonalized)
        }
        let observations = world.phone.observer.observations
        #expect(!observations.isEmpty)
        #expect(observations.allSatisfy { !$0.summary.contains("prc-1") })
    }
}
