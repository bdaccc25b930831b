import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Messages newer than this version, a no without opening, and subscribers that are slow.
struct IncompatibleTests {
    @Test func `a message that isn't understood is new once, after a restart, too`() async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        let push = try AcmeWire.future("1", withdraws: false)
        #expect(try await first.authenticator.receive(push).map(\.isNew) == [true])
        let again = try await first.authenticator.receive(push)
        #expect(again.map(\.isNew) == [false])
        guard case .incompatible? = again.first?.kind else {
            Issue.record("\(again)")
            return
        }
        await first.kill()
        #expect(try await harness.life().authenticator.receive(push).map(\.isNew) == [false])
    }

    @Test func `a later announcement that is understood is new, and can be answered`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.future("1", withdraws: false))
        let understood = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(understood.map(\.isNew) == [true])
        #expect(understood.map(\.isWaiting) == [true])
        #expect(try await authenticator.receive(try AcmeWire.ask("1")).map(\.isNew) == [false])
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `a message that isn't understood and has expired is over`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let clock = harness.clock
        for _ in 1...2 {
            await clock.serverTime.note(
                morning, at: Endpoint.ServerID(host: "acme.example", of: "acme"),
                sent: clock.elapsed,
                received: clock.elapsed)
        }
        let late = try AcmeWire.future("1", withdraws: false, until: morning - 600)
        let receptions = try await authenticator.receive(late)
        #expect(receptions.map(\.kind) == [.over(Withdrawal(.ada("1"), .expired))])
        let timely = try AcmeWire.future("2", withdraws: false, until: morning + 600)
        guard case .incompatible? = try await authenticator.receive(timely).first?.kind else {
            Issue.record("One that hasn't expired isn't told.")
            return
        }
    }

    @Test func `a message that isn't understood leaves an open challenge as it is`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.future("1", withdraws: false))
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `a message that isn't understood but withdraws takes the challenge back for good`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.future("1", withdraws: true))
        #expect(await code { try await authenticator.deny(.ada("1")) } == .over)
        let again = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(again.map(\.isWaiting) == [false])
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a withdrawal that isn't understood and comes first leaves a tombstone, too`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.future("1", withdraws: true))
        let late = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(late.map(\.isWaiting) == [false])
        #expect(await code { try await authenticator.deny(.ada("1")) } == .over)
    }

    // MARK: A no without opening

    @Test(arguments: Answer.Kept.Form.allCases)
    func `a no from a notification's button needs no opening, not even in a new process`(
        kept: Answer.Kept.Form
    ) async throws {
        let harness = AuthenticatorHarness(verifier: .absent())
        let options = Acme.Options(kept: kept, verification: [[.pin]])
        let service = try harness.life(options, named: "extension")
        _ = try await service.authenticator.join("ada")
        _ = try await service.authenticator.receive(try AcmeWire.ask("1", prompt: "choose"))
        await service.kill()
        let app = try harness.life(options, named: "app").authenticator
        #expect(try await app.deny(.ada("1"), .fraud) == .delivered)
        #expect(await harness.server.choices() == ["deny:fraud"])
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test func `a no without opening that was lost is sent again without opening`() async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life(.init(kept: .wholeOnceOpen))
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropBefore)
        _ = try await first.authenticator.deny(.ada("1"))
        await first.kill()
        let second = try harness.life(.init(kept: .wholeOnceOpen)).authenticator
        #expect(try await second.resume() == [.ada("1"): .delivered])
    }

    // MARK: Slow subscribers

    @Test func `a slow subscriber loses the oldest, and the observer hears of each loss`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let slow = await authenticator.updates(keeping: 2)
        let quick = await authenticator.updates()
        for id in 1...5 { _ = try await authenticator.receive(try AcmeWire.ask("\(id)")) }
        #expect(try await challenges(of: slow, 2) == ["4", "5"])
        #expect(try await challenges(of: quick, 5) == ["1", "2", "3", "4", "5"])
        let losses = harness.observer.observations.filter { $0.kind == .noticed }
        #expect(losses.count == 3)
        #expect(try await authenticator.records().count == 5)
    }

    @Test(arguments: [0, -1, 1])
    func `a subscriber that keeps nothing keeps one`(limit: Int) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let updates = await authenticator.updates(keeping: limit)
        for id in 1...3 { _ = try await authenticator.receive(try AcmeWire.ask("\(id)")) }
        #expect(try await challenges(of: updates, 1) == ["3"])
    }

    @Test func `a subscriber that keeps up loses nothing, and the observer hears nothing`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let updates = await authenticator.updates(keeping: 1)
        var iterator = updates.makeAsyncIterator()
        for id in 1...5 {
            _ = try await authenticator.receive(try AcmeWire.ask("\(id)"))
            guard case .received(let reception)? = await iterator.next() else {
                Issue.record("No reception.")
                return
            }
            #expect(reception.challenge == .ada("\(id)"))
        }
        #expect(harness.observer.observations.isEmpty)
    }

    private func challenges(
        of updates: AsyncStream<AuthenticatorUpdate>, _ count: Int
    ) async throws -> [String] {
        var names: [String] = []
        for await update in updates {
            if case .received(let reception) = update, let id = reception.challenge {
                names.append(id.name)
            }
            if names.count == count { break }
        }
        return names
    }
}
