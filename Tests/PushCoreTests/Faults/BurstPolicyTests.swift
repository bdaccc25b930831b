import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Challenges that come in a burst, as from an attacker who hopes for a tired yes.
struct BurstPolicyTests {
    private func life(
        _ harness: AuthenticatorHarness, _ bursts: BurstPolicy, clock: ManualClock? = nil,
        named name: String = "app"
    ) throws -> Life {
        try harness.life(named: name, clock: clock) { $0.bursts = bursts }
    }

    private func receive(
        _ ids: ClosedRange<Int>, to account: String = "ada", _ authenticator: PushAuthenticator
    ) async throws -> [Reception] {
        var receptions: [Reception] = []
        for id in ids {
            receptions += try await authenticator.receive(
                try AcmeWire.ask("\(id)", to: account))
        }
        return receptions
    }

    @Test func `beyond three in ten minutes each is flagged, by default, and can be answered`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        let receptions = try await receive(1...5, life.authenticator)
        #expect(receptions.map(\.burst) == [nil, nil, nil, 4, 5])
        #expect(receptions.filter(\.isNew).count == 5)
        let challenge = try await life.authenticator.challenge(.ada("5"))
        #expect(try await life.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a quiet burst policy flags them, calls none of them new, and loses none`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try life(harness, .quiet(.init(count: 2)))
        _ = try await life.authenticator.join("ada")
        var updates = await life.authenticator.updates().makeAsyncIterator()
        let receptions = try await receive(1...5, life.authenticator)
        #expect(receptions.map(\.burst) == [nil, nil, 3, 4, 5])
        #expect(receptions.map(\.isNew) == [true, true, false, false, false])
        #expect(try await life.authenticator.records().count == 5)
        #expect(try await life.authenticator.deny(.ada("5"), .fraud) == .delivered)
        // Whoever rings by the updates rings twice.
        var rung: [Reception] = []
        while let update = await updates.next() {
            if case .received(let reception) = update, reception.isNew { rung.append(reception) }
            if case .outcome = update { break }
        }
        #expect(rung == Array(receptions.prefix(2)))
    }

    @Test func `a burst policy that is off flags nothing`() async throws {
        let harness = AuthenticatorHarness()
        let life = try life(harness, .off)
        _ = try await life.authenticator.join("ada")
        let receptions = try await receive(1...20, life.authenticator)
        #expect(receptions.allSatisfy { $0.burst == nil && $0.isNew })
        _ = try await life.authenticator.deny(.ada("20"), .fraud)
        #expect(try await receive(21...21, life.authenticator).map(\.burst) == [nil])
    }

    @Test func `after the window the count starts again`() async throws {
        let harness = AuthenticatorHarness()
        let life = try life(harness, .warn(.init(count: 2, window: .seconds(60))))
        _ = try await life.authenticator.join("ada")
        #expect(try await receive(1...3, life.authenticator).map(\.burst) == [nil, nil, 3])
        life.clock.advance(by: .seconds(61))
        #expect(try await receive(4...6, life.authenticator).map(\.burst) == [nil, nil, 3])
    }

    @Test func `a burst goes on across a restart`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let first = try life(harness, .warn(.init()), clock: clock)
        _ = try await first.authenticator.join("ada")
        #expect(try await receive(1...3, first.authenticator).map(\.burst) == [nil, nil, nil])
        await first.kill()
        clock.advance(by: .seconds(5))
        let second = try life(harness, .warn(.init()), clock: clock)
        #expect(try await receive(4...4, second.authenticator).map(\.burst) == [4])
    }

    @Test func `the app and its extension count together`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let app = try life(harness, .warn(.init()), clock: clock)
        let service = try life(harness, .warn(.init()), clock: clock, named: "extension")
        _ = try await app.authenticator.join("ada")
        _ = try await receive(1...2, app.authenticator)
        _ = try await receive(3...3, service.authenticator)
        #expect(try await receive(4...4, app.authenticator).map(\.burst) == [4])
    }

    @Test func `a push that comes again is no burst`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        for _ in 0..<10 { _ = try await receive(1...1, life.authenticator) }
        #expect(try await receive(2...3, life.authenticator).map(\.burst) == [nil, nil])
    }

    @Test func `forged pushes are no burst`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        for number in 0..<10 {
            let forged = try AcmeWire.push(
                AcmeWire.claims("\(number)"), to: "ada", key: "guess")
            _ = await code { try await life.authenticator.receive(forged) }
        }
        #expect(try await receive(1...3, life.authenticator).map(\.burst) == [nil, nil, nil])
    }

    @Test func `one enrollment's burst is no other's`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        for account in ["ada", "bob"] { _ = try await life.authenticator.join(account) }
        _ = try await receive(1...5, life.authenticator)
        #expect(try await receive(1...1, to: "bob", life.authenticator).map(\.burst) == [nil])
    }

    @Test func `what waits in the vendor's list counts as what was pushed`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        for id in 1...4 { await harness.server.offer(AcmeWire.claims("\(id)"), to: "ada") }
        let found = try await life.authenticator.pending(for: .ada)
        #expect(found.filter { $0.burst != nil }.count == 1)
    }

    // MARK: It was not me

    @Test func `after a no for fraud the next challenge is flagged, though it is the second`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        #expect(try await receive(1...1, life.authenticator).map(\.burst) == [nil])
        #expect(try await life.authenticator.deny(.ada("1"), .fraud) == .delivered)
        let next = try await receive(2...2, life.authenticator)
        #expect(next.map { $0.burst != nil } == [true])
        #expect(try await life.authenticator.deny(.ada("2")) == .delivered)
    }

    @Test func `the alarm survives a restart, and ends after the window`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let first = try life(harness, .warn(.init()), clock: clock)
        _ = try await first.authenticator.join("ada")
        _ = try await receive(1...1, first.authenticator)
        _ = try await first.authenticator.deny(.ada("1"), .fraud)
        await first.kill()
        let second = try life(harness, .warn(.init()), clock: clock)
        #expect(
            try await receive(2...2, second.authenticator).map { $0.burst != nil } == [true])
        clock.advance(by: .seconds(700))
        #expect(try await receive(3...3, second.authenticator).map(\.burst) == [nil])
    }

    @Test(arguments: [DenyReason.unexpected, .ignore, .custom("later")])
    func `a no for another reason is no alarm`(reason: DenyReason) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        _ = try await receive(1...1, life.authenticator)
        _ = try await life.authenticator.deny(.ada("1"), reason)
        #expect(try await receive(2...2, life.authenticator).map(\.burst) == [nil])
    }

    @Test func `a no for fraud alarms even if the vendor couldn't be told`() async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        _ = try await receive(1...1, life.authenticator)
        await harness.faults.next(.refuse)
        _ = try await life.authenticator.deny(.ada("1"), .fraud)
        let next = try await receive(2...2, life.authenticator)
        #expect(next.map { $0.burst != nil } == [true])
    }
}
