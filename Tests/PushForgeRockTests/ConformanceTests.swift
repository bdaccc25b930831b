import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What the core asks of every provider, over every message that this one meets.
@Suite struct ConformanceTests {
    @Test func `the conformance suite finds nothing, alone and behind an authenticator`()
        async throws
    {
        let alone = try await ForgeRockHarness.enrolled()
        let fixtures = try Fixtures.all()
        let findings = await ProviderConformance(
            alone.provider, in: alone.environment, fixtures: fixtures
        ).check()
        #expect(findings == [])
        for refusesLateAnswers in [false, true] {
            let harness = try await ForgeRockHarness.enrolled(
                at: "Thu, 09 Oct 2025 08:58:21 GMT",
                configuration: .init(refusesLateAnswers: refusesLateAnswers))
            let conformance = ProviderConformance(
                harness.provider, in: harness.environment, fixtures: fixtures)
            let findings = await conformance.check(behind: harness.authenticator)
            #expect(findings == [])
        }
    }

    @Test func `every genuine message is a notice of its own, proved by its MAC`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        var names: Set<Challenge.ID> = []
        for message in try Fixtures.genuine() {
            #expect(harness.provider.candidate(in: message) != nil)
            guard case .notice(let announcement) = try await harness.event(of: message) else {
                Issue.record("A genuine push announces a challenge.")
                continue
            }
            #expect(announcement.notice.proof == .mac)
            #expect(announcement.notice.id.enrollment == harness.enrollmentID)
            #expect(names.insert(announcement.notice.id).inserted)
        }
    }

    @Test func `every forged or unreadable message is refused, and leaves nothing`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let before = await harness.store.count
        for message in try Fixtures.forged() + Fixtures.malformed() {
            #expect(harness.provider.candidate(in: message) != nil)
            await #expect(throws: PushError.self) {
                _ = try await harness.event(of: message)
            }
            await #expect(throws: PushError.self) {
                _ = try await harness.authenticator.receive(message)
            }
        }
        #expect(await harness.store.count == before)
        #expect(try await harness.records().isEmpty)
        #expect(try await harness.posts().isEmpty)
    }

    @Test func `every foreign message is left alone`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        for message in try Fixtures.foreign() {
            #expect(harness.provider.candidate(in: message) == nil)
            #expect(try await harness.authenticator.receive(message).isEmpty)
        }
        #expect(harness.observer.observations.isEmpty)
    }

    @Test func `no unknown prompt can be approved, by the core or past it`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        for message in try Fixtures.unknownPrompts() {
            guard case .notice(var announcement) = try await harness.event(of: message) else {
                Issue.record("An unknown type can be shown.")
                continue
            }
            let account = try await harness.accounts.existing(harness.enrollmentID)
            let challenge = try await harness.provider.resolver.challenge(
                for: &announcement, of: account)
            guard case .denyOnly = challenge.prompt else {
                Issue.record("An unknown type can only be denied.")
                continue
            }
            for resolution in [.approve, .choose("42"), .enter("42")] as [Resolution] {
                let decision = Decision(
                    announcement, resolution, challenge: challenge, evidence: [.biometry(nil)],
                    extras: nil)
                await #expect(throws: PushError.self) { _ = try await harness.answer(to: decision) }
            }
            _ = try await harness.answer(
                to: Decision(
                    announcement, .deny(.fraud), challenge: nil, evidence: [], extras: nil))
        }
    }

    @Test func `a late message is shown as such where the app wants so, and not answered`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled(at: "Thu, 09 Oct 2025 08:58:21 GMT")
        for message in try Fixtures.expired() {
            let reception = try #require(await harness.authenticator.receive(message).first)
            guard case .over(let withdrawal) = reception.kind else {
                Issue.record("The server's time is over.")
                continue
            }
            #expect(withdrawal.reason == .expired)
            let error = try await refusal {
                _ = try await harness.authenticator.deny(withdrawal.id)
            }
            #expect(error.code == .over)
        }
        #expect(try await harness.posts().isEmpty)
    }

    @Test func `a replay of any message is no news`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        for message in try Fixtures.genuine() {
            #expect(try await harness.authenticator.receive(message).map(\.isNew) == [true])
        }
        for message in try Fixtures.genuine() {
            #expect(try await harness.authenticator.receive(message).map(\.isNew) == [false])
        }
    }
}
