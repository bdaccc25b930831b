import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct HintTests {
    @Test func `a hint about challenges asks the vendor, at each enrollment it names`() async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob", "eve"])
        for account in ["ada", "bob", "eve"] {
            await harness.server.offer(["id": .string(account), "prompt": "approve"], to: account)
        }
        let found = try await authenticator.receive(
            try AcmeWire.hint("challenges", at: ["ada", "bob"]))
        #expect(found.compactMap { $0.challenge?.name } == ["ada", "bob"])
        #expect(found.allSatisfy { $0.isNew })
        let record = try #require(try await authenticator.record(of: .ada("ada")))
        #expect(record.notice.proof == .fetched)
    }

    @Test func `a hint alone shows and stores nothing`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let count = await harness.store.count
        #expect(try await authenticator.receive(try AcmeWire.hint("challenges")).isEmpty)
        #expect(try await authenticator.receive(try AcmeWire.hint("challenges", at: [])).isEmpty)
        #expect(await harness.store.count == count)
    }

    @Test func `a hint that a challenge is over is believed only if the vendor says so`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await authenticator.receive(try AcmeWire.hint("finished", "9")).isEmpty)
        #expect(try await authenticator.receive(try AcmeWire.hint("finished", "1")).isEmpty)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        await harness.server.expire("1")
        let over = try await authenticator.receive(try AcmeWire.hint("finished", "1"))
        #expect(over.map(\.kind) == [.over(Withdrawal(.ada("1"), .expired))])
    }

    @Test func `a challenge that was finished elsewhere is over`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.server.answerElsewhere("1", choosing: "approve")
        let over = try await authenticator.receive(try AcmeWire.hint("finished", "1"))
        #expect(over.map(\.kind) == [.over(Withdrawal(.ada("1"), .finished))])
    }

    @Test(arguments: [
        (Outcome.expired, Withdrawal.Reason.expired), (.cancelled, .cancelled),
        (.answeredElsewhere, .elsewhere), (.delivered, .finished), (.ended, .unknown),
        (.unknown("?"), .finished), (.notTaken(.init(.verification, mayRetry: false)), .finished),
    ])
    func `a challenge that is over is withdrawn for the reason that the vendor gives`(
        outcome: Outcome, reason: Withdrawal.Reason
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try PushAuthenticator(
            PluginRegistry([Ended(acme: harness.acme(), outcome: outcome)]),
            in: harness.environment,
            configuration: AuthenticatorHarness.quiet)
        _ = try await authenticator.join("ada")
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let over = try await authenticator.receive(try AcmeWire.hint("finished", "1"))
        #expect(over.map(\.kind) == [.over(Withdrawal(.ada("1"), reason))])
    }

    @Test func `a hint about the enrollment refreshes it`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.block()
        let refreshed = try await authenticator.receive(try AcmeWire.hint("enrollment"))
        guard case .enrollment(let enrollment)? = refreshed.first?.kind else {
            Issue.record("\(refreshed)")
            return
        }
        #expect(enrollment.state == .blocked("policy"))
        #expect(refreshed.first?.challenge == nil)
    }

    @Test func `both instances of one vendor are asked, even if one can't be reached`() async throws
    {
        let harness = AuthenticatorHarness()
        let registry = try PluginRegistry([harness.acme("acme"), harness.acme("acme/b")])
        let authenticator = PushAuthenticator(
            registry, in: harness.environment, configuration: AuthenticatorHarness.quiet)
        for offer in try authenticator.offers(for: .scanned(text: "acme:ada")) {
            _ = try await authenticator.enroll(offer)
        }
        #expect(try await authenticator.enrollments().map(\.id.provider) == ["acme", "acme/b"])
        await harness.server.offer(["id": "1", "prompt": "approve"], to: "ada")
        await harness.faults.next(.refuse, where: { $0.authority == "acme.example" })
        let found = try await authenticator.receive(try AcmeWire.hint("challenges"))
        #expect(found.compactMap(\.challenge?.enrollment.provider) == ["acme/b"])
        #expect(harness.observer.observations.map(\.kind) == [.refused(.unreachable)])
        let both = try await authenticator.receive(try AcmeWire.hint("challenges"))
        #expect(both.map(\.isNew) == [true, false])
    }

    @Test func `a list that holds another enrollment's challenge is refused whole`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        let forger = PushAuthenticator(
            try PluginRegistry([Forger(acme: harness.acme())]), in: harness.environment)
        for name in ["1", "2"] {
            await harness.server.offer(["id": .string(name), "prompt": "approve"], to: "ada")
        }
        #expect(await code { try await forger.pending(for: .ada) } == .untrusted)
        #expect(try await authenticator.records().isEmpty)
    }

    @Test func `a hint that nobody could follow throws`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.faults.next(.refuse)
        #expect(
            await code { try await authenticator.receive(try AcmeWire.hint("challenges")) }
                == .unreachable)
    }

    @Test func `what waits is found without a push, failures named`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        for account in ["ada", "bob"] {
            await harness.server.offer(["id": "1", "prompt": "approve"], to: account)
        }
        await harness.faults.next(.refuse)
        let (found, failures) = try await authenticator.pending()
        // Both are asked at once: either's call may be the one that is refused.
        let unasked = try #require(failures.keys.first)
        #expect(failures.mapValues(\.code) == [unasked: .unreachable])
        #expect(found.compactMap(\.challenge) == [.init("1", of: unasked == .ada ? .bob : .ada)])
        let without = try harness.authenticator(.init(capabilities: []))
        #expect(try await without.pending().found.isEmpty)
    }
}

/// An Acme that lists the last challenge as another enrollment's.
private struct Forger: AcmeVariant {
    let acme: Acme

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        var listed = try await acme.pending(of: account, after: hint)
        guard let last = listed.announcements.popLast() else { return listed }
        let notice = Notice(id: Challenge.ID(last.notice.id.name, of: .bob), proof: .fetched)
        listed.announcements.append(Announcement(notice, context: last.context))
        return listed
    }
}

/// An Acme at which everything ended so.
private struct Ended: AcmeVariant {
    let acme: Acme
    let outcome: Outcome

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        .over(outcome)
    }
}
