import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What the core asks of every provider, over every message that this one meets.
@Suite struct ConformanceTests {
    private func harness(
        _ change: (inout PlusAuth.Configuration) -> Void = { _ in }
    ) async throws -> (harness: PlusAuthHarness, fixtures: Fixtures) {
        let harness = try await PlusAuthHarness.enrolled(.ec(change))
        return (harness, Fixtures(key: try await harness.key()))
    }

    @Test func `the conformance suite finds nothing in the provider alone`() async throws {
        let (harness, fixtures) = try await harness()
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try fixtures.all())
        let findings = await conformance.check()
        #expect(findings == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let (harness, fixtures) = try await harness()
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try fixtures.all())
        let findings = await conformance.check(behind: harness.authenticator)
        #expect(findings == [])
    }

    @Test func `nor where the SIM cards are watched`() async throws {
        let cards = SIMCards()
        let (harness, fixtures) = try await harness { $0.simIdentity = cards }
        _ = try await harness.challenge(
            ContextJWT(harness.key(), token: "bind").bindingSIM(true))
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try fixtures.all())
        let findings = await conformance.check(behind: harness.authenticator)
        #expect(findings == [])
    }

    @Test func `every genuine message is a notice of its own, proved by its signature`()
        async throws
    {
        let (harness, fixtures) = try await harness()
        var names: Set<Challenge.ID> = []
        for message in try fixtures.genuine() {
            #expect(harness.provider.candidate(in: message) != nil)
            guard case .notice(let announcement) = try await harness.event(of: message) else {
                Issue.record("A genuine push announces a challenge.")
                continue
            }
            #expect(announcement.notice.proof == .signature)
            #expect(announcement.notice.id.enrollment.name == fixtures.key.id)
            #expect(names.insert(announcement.notice.id).inserted)
        }
    }

    @Test func `every forged or unreadable message is refused, and leaves no trace`() async throws {
        let (harness, fixtures) = try await harness()
        let before = await harness.store.count
        for message in try fixtures.forged() + fixtures.malformed() {
            #expect(harness.provider.candidate(in: message) != nil)
            await #expect(throws: PushError.self) {
                _ = try await harness.event(of: message)
            }
            await #expect(throws: PushError.self) {
                _ = try await harness.authenticator.receive(message)
            }
        }
        #expect(await harness.store.count == before)
        #expect(try await harness.authenticator.records().isEmpty)
        #expect(await harness.answers().isEmpty)
    }

    @Test func `every foreign message is left alone`() async throws {
        let (harness, _) = try await harness()
        for message in try Fixtures.foreign() {
            #expect(harness.provider.candidate(in: message) == nil)
            #expect(try await harness.authenticator.receive(message).isEmpty)
        }
        #expect(harness.observer.observations.isEmpty)
    }

    @Test func `no unknown type can be answered, by the core or past it`() async throws {
        let (harness, fixtures) = try await harness()
        for message in try fixtures.unknownPrompts() {
            guard case .incompatible(let incompatible) = try await harness.event(of: message) else {
                Issue.record("An unknown type is told as such.")
                continue
            }
            #expect(incompatible.id.enrollment.name == fixtures.key.id)
            for resolution in [.approve, .choose("07"), .deny(.fraud)] as [Resolution] {
                let notice = Notice(id: incompatible.id, proof: .signature)
                let announcement = Announcement(
                    notice, context: Secret(Array("{}".utf8)))
                await #expect(throws: PushError.self) {
                    _ = try await harness.answer(
                        to: Decision(
                            announcement, resolution, challenge: nil, evidence: [.presence],
                            extras: nil))
                }
            }
        }
    }

    @Test func `a replay of any message is no news`() async throws {
        let (harness, fixtures) = try await harness()
        for message in try fixtures.genuine() {
            #expect(try await harness.authenticator.receive(message).map(\.isNew) == [true])
        }
        for message in try fixtures.genuine() {
            #expect(try await harness.authenticator.receive(message).map(\.isNew) == [false])
        }
    }

    @Test func `a later process opens and answers what an earlier one received`() async throws {
        let (harness, fixtures) = try await harness()
        for message in try fixtures.genuine() {
            _ = try await harness.authenticator.receive(message)
        }
        let later = try PlusAuthHarness(sharing: harness)
        for record in try await later.authenticator.records() {
            let challenge = try await later.authenticator.challenge(record.id)
            let yes: Resolution =
                if case .choose = challenge.prompt { .choose("07") } else { .approve }
            #expect(try await later.authenticator.resolve(challenge, with: yes) == .delivered)
            _ = try await later.lastAnswer().answer(by: fixtures.key)
        }
        #expect(await later.answers().count == (try fixtures.genuine().count))
    }
}
