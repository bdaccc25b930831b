import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Pushes that come twice, late, in the wrong order, or never.
struct ArrivalFaultTests {
    // MARK: Twice

    @Test func `a push that comes twice, or ten times at once, is one challenge and new once`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let push = try AcmeWire.ask("1")
        let news = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask { try await authenticator.receive(push).contains(where: \.isNew) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(news == 1)
        #expect(try await authenticator.receive(push).map(\.isNew) == [false])
        #expect(try await authenticator.records().map(\.id) == [.ada("1")])
    }

    @Test func `a push and a poll at once are one challenge, and new once`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let push = try AcmeWire.ask("1")
        async let pushed = authenticator.receive(push)
        async let polled = authenticator.pending(for: .ada)
        let both = try await pushed + polled
        #expect(both.map(\.challenge) == [.ada("1"), .ada("1")])
        #expect(both.filter(\.isNew).count == 1)
        #expect(try await authenticator.records().count == 1)
    }

    @Test func `the app and its extension that get one push show it once`() async throws {
        let harness = AuthenticatorHarness()
        let app = try harness.life(named: "app").authenticator
        let service = try harness.life(named: "extension").authenticator
        _ = try await app.join("ada")
        let push = try AcmeWire.ask("1")
        async let one = app.receive(push)
        async let two = service.receive(push)
        #expect(try await (one.receptions + two.receptions).filter(\.isNew).count == 1)
    }

    // MARK: Out of order

    @Test
    func `a cancel before its request keeps the request from being shown, after a restart, too`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.cancel("1"))
        await first.kill()
        let second = try harness.life().authenticator
        let late = try await second.receive(try AcmeWire.ask("1"))
        #expect(late.map(\.kind) == [.over(Withdrawal(.ada("1"), .cancelled))])
        #expect(late.map(\.isNew) == [false])
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        #expect(try await second.pending(for: .ada).contains(where: \.isWaiting) == false)
        #expect(await code { try await second.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a push after its expiry isn't shown, and can't be answered`() async throws {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        let authenticator = try await harness.enrolled()
        try await authenticator.hearTimeAgain()
        let late = try await authenticator.receive(try AcmeWire.ask("1", expiry: morning - 30))
        #expect(late.map(\.kind) == [.over(Withdrawal(.ada("1"), .expired))])
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.isEmpty)
    }

    // MARK: Never

    @Test func `a challenge whose push never arrives is found by asking`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let found = try await authenticator.pending(for: .ada)
        #expect(found.map(\.challenge) == [.ada("1")])
        #expect(found.map(\.isNew) == [true])
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `a challenge whose push never arrives is found at the next start`() async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        await first.kill()
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        let second = try harness.life().authenticator
        _ = try await second.resume()
        let found = try await second.pending().found
        #expect(found.map(\.challenge) == [.ada("1")])
        #expect(found.map(\.isWaiting) == [true])
    }

    @Test(.timeLimit(.minutes(10)))
    func `a challenge whose push never arrives is found in the background after any other push`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try harness.life { $0.asksAfterPush = true }
        _ = try await life.authenticator.join("ada")
        await harness.server.offer(AcmeWire.claims("lost"), to: "ada")
        var updates = await life.authenticator.updates().makeAsyncIterator()
        let pushed = try await life.authenticator.receive(try AcmeWire.ask("1"))
        #expect(pushed.map(\.challenge) == [.ada("1")])
        var found: Set<Challenge.ID> = []
        while found.count < 2, let update = await updates.next() {
            guard case .received(let reception) = update else { continue }
            #expect(reception.isNew)
            if let id = reception.challenge { found.insert(id) }
        }
        #expect(found == [.ada("1"), .ada("lost")])
        #expect(try await life.authenticator.deny(.ada("lost")) == .delivered)
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["cancel", "hint"])
    func `whatever the other push says, it makes the authenticator ask`(
        kind: String
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life { $0.asksAfterPush = true }
        _ = try await life.authenticator.join("ada")
        await harness.server.offer(AcmeWire.claims("lost"), to: "ada")
        let push =
            kind == "hint" ? try AcmeWire.hint("challenges") : try AcmeWire.cancel("other")
        _ = try await life.authenticator.receive(push)
        try await eventually("It is found.") {
            try await life.authenticator.record(of: .ada("lost"))?.state == .open
        }
    }

    @Test func `a refused push doesn't make the authenticator ask`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life { $0.asksAfterPush = true }
        _ = try await life.authenticator.join("ada")
        let before = await harness.transport.exchanges.count
        let forged = try AcmeWire.push(AcmeWire.claims("1"), to: "ada", key: "wrong")
        #expect(await code { try await life.authenticator.receive(forged) } == .untrusted)
        // What a genuine one makes it ask comes later, and is all that is asked.
        await harness.server.offer(AcmeWire.claims("lost"), to: "ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        try await eventually("It is found.") {
            try await life.authenticator.record(of: .ada("lost"))?.state == .open
        }
        #expect(await harness.transport.exchanges.count == before + 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func `of three challenges with one surviving push all three are found, each new once`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try harness.life { $0.asksAfterPush = true }
        _ = try await life.authenticator.join("ada")
        for id in ["1", "2", "3"] { await harness.server.offer(AcmeWire.claims(id), to: "ada") }
        var updates = await life.authenticator.updates().makeAsyncIterator()
        _ = try await life.authenticator.receive(try AcmeWire.ask("2"))
        var found: [String] = []
        while found.count < 3, let update = await updates.next() {
            guard case .received(let reception) = update, reception.isWaiting else { continue }
            found.append(reception.challenge?.name ?? "")
        }
        #expect(found.sorted() == ["1", "2", "3"])
        for id in ["1", "2", "3"] {
            #expect(try await life.authenticator.deny(.ada(id)) == .delivered)
        }
        #expect(try await life.authenticator.pending(for: .ada).contains(where: \.isNew) == false)
    }
}
