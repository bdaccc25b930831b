import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A complete list says what waits, and so what no longer does.
struct ListAuthorityTests {
    private let harness = AuthenticatorHarness()

    private func enrolled(listsAll: Bool = true) async throws -> PushAuthenticator {
        try await harness.enrolled(["ada"], .init(listsAll: listsAll))
    }

    @Test func `a challenge that the list lacks is withdrawn with the vendor's reason`()
        async throws
    {
        let authenticator = try await enrolled()
        for name in ["gone", "elsewhere", "open"] {
            _ = try await authenticator.receive(try AcmeWire.ask(name))
        }
        await harness.server.expire("gone")
        await harness.server.answerElsewhere("elsewhere")
        await harness.server.offer(AcmeWire.claims("open"), to: "ada")
        let found = try await authenticator.pending(for: .ada)
        let over = found.compactMap { reception -> Withdrawal? in
            if case .over(let withdrawal) = reception.kind { withdrawal } else { nil }
        }
        #expect(
            Set(over) == [
                Withdrawal(.ada("gone"), .expired), Withdrawal(.ada("elsewhere"), .elsewhere),
            ])
        #expect(try await authenticator.record(of: .ada("open"))?.state == .open)
        // What the list has isn't asked about.
        #expect(await harness.server.statusQuestions == 2)
        _ = try await authenticator.pending(for: .ada)
        #expect(await harness.server.statusQuestions == 2)
    }

    @Test func `one that the vendor calls open stays, though a list lacks it`() async throws {
        let authenticator = try await enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await authenticator.pending(for: .ada).isEmpty)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `a list that isn't said to be complete ends nothing`() async throws {
        let authenticator = try await enrolled(listsAll: false)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.server.expire("1")
        _ = try await authenticator.pending(for: .ada)
        #expect(await harness.server.statusQuestions == 0)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `what another process was told of is found by resume, and then by the list`()
        async throws
    {
        let authenticator = try await enrolled()
        _ = try await authenticator.pending(for: .ada)
        let other = try harness.authenticator(.init(listsAll: true))
        _ = try await other.receive(try AcmeWire.ask("1"))
        await harness.server.expire("1")
        try await authenticator.resume()
        _ = try await authenticator.pending(for: .ada)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .over(Withdrawal(.ada("1"), .expired)))
    }

    @Test func `a decision that is on its way isn't withdrawn by a list`() async throws {
        let authenticator = try await enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.deny(.ada("1"))
        _ = try await authenticator.pending(for: .ada)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .decided(.deny(.unexpected)))
    }

    @Test func `a vendor that can't be asked what became of one leaves it open`() async throws {
        let authenticator = try await enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.server.expire("1")
        await harness.faults.next(.refuse, where: { $0.path == "/status" })
        _ = try await authenticator.pending(for: .ada)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        _ = try await authenticator.pending(for: .ada)
        #expect(try await authenticator.record(of: .ada("1"))?.state != .open)
    }

    // MARK: Lists that have exactly what is open

    private func proving(_ reason: Withdrawal.Reason = .unknown) -> RicherAcme {
        var acme = RicherAcme(.init(listsAll: true), in: harness.environment)
        acme.endsUnlisted = reason
        return acme
    }

    /// How long a challenge that was pushed may be missing on the list.
    private static let listingTime = Duration.seconds(30)

    private func state(
        _ name: String, at authenticator: PushAuthenticator
    ) async throws -> ChallengeRecord.State? {
        try await authenticator.record(of: .ada(name))?.state
    }

    @Test(arguments: [Withdrawal.Reason.unknown, .expired])
    func `a list that proves the end closes all it lacks at once, and asks no more`(
        reason: Withdrawal.Reason
    ) async throws {
        let authenticator = try await harness.enrolled(at: proving(reason))
        for index in 10..<40 { _ = try await authenticator.receive(try AcmeWire.ask("\(index)")) }
        await harness.server.offer(AcmeWire.claims("20"), to: "ada")
        harness.clock.advance(by: Self.listingTime)
        let found = try await authenticator.pending(for: .ada)
        #expect(found.count == 30 && found.filter(\.isNew).count == 29)
        #expect(try await state("20", at: authenticator) == .open)
        #expect(try await state("39", at: authenticator) == .over(.init(.ada("39"), reason)))
        #expect(await harness.server.statusQuestions == 0)
        #expect(try await authenticator.pending(for: .ada).count == 1)
    }

    @Test func `a challenge that was pushed before the server recorded it stays`() async throws {
        let authenticator = try await harness.enrolled(at: proving())
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        for _ in 1...2 {
            #expect(try await authenticator.pending(for: .ada).isEmpty)
            #expect(try await state("1", at: authenticator) == .open)
            harness.clock.advance(by: Self.listingTime - .seconds(16))
        }
        // Another process hasn't seen more of it.
        let other = try harness.authenticator(of: proving())
        #expect(try await other.pending(for: .ada).isEmpty)
        harness.clock.advance(by: .seconds(2))
        #expect(try await authenticator.pending(for: .ada).map(\.isNew) == [true])
        #expect(try await state("1", at: authenticator) == .over(.init(.ada("1"), .unknown)))
    }

    @Test(arguments: [true, false], [true, false])
    func `what a list has had is over once it lacks it, however new`(
        isPushed: Bool, restarts: Bool
    ) async throws {
        let first = try await harness.enrolled(at: proving())
        if isPushed { _ = try await first.receive(try AcmeWire.ask("1")) }
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        _ = try await first.pending(for: .ada)
        await harness.server.expire("1")
        harness.clock.advance(by: .seconds(-3600))
        let last = restarts ? try harness.authenticator(of: proving()) : first
        _ = try await last.pending(for: .ada)
        #expect(try await state("1", at: last) == .over(.init(.ada("1"), .unknown)))
    }

    @Test func `what is announced while the list is on its way isn't closed by it`() async throws {
        let authenticator = try await harness.enrolled(at: proving())
        _ = try await authenticator.receive(try AcmeWire.ask("before"))
        harness.clock.advance(by: Self.listingTime)
        let gate = Gate()
        await harness.server.hold("/pending", at: gate)
        async let found = authenticator.pending(for: .ada)
        await gate.arrival()
        _ = try await authenticator.receive(try AcmeWire.ask("meanwhile"))
        // Another process of the device announces one, too.
        _ = try await harness.authenticator(of: proving()).receive(try AcmeWire.ask("elsewhere"))
        await gate.open()
        #expect(try await found.map(\.challenge) == [.ada("before")])
        #expect(try await state("meanwhile", at: authenticator) == .open)
        #expect(try await state("elsewhere", at: authenticator) == .open)
        // The next list is younger than they are.
        harness.clock.advance(by: Self.listingTime)
        _ = try await authenticator.pending(for: .ada)
        #expect(try await state("meanwhile", at: authenticator) != .open)
    }

    @Test func `a process that has just begun closes what an earlier one was told of`()
        async throws
    {
        let earlier = try await harness.enrolled(at: proving())
        _ = try await earlier.receive(try AcmeWire.ask("1"))
        harness.clock.advance(by: Self.listingTime)
        let later = try harness.authenticator(of: proving())
        #expect(try await later.pending(for: .ada).map(\.isNew) == [true])
        #expect(try await state("1", at: later) == .over(.init(.ada("1"), .unknown)))
    }

    @Test func `a decision that is on its way isn't closed by a list that proves the end`()
        async throws
    {
        let authenticator = try await harness.enrolled(at: proving())
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let other = try harness.authenticator(of: proving())
        await harness.faults.next(.dropAfter)
        _ = try await other.deny(.ada("1"))
        #expect(try await authenticator.pending(for: .ada).isEmpty)
        #expect(try await state("1", at: authenticator) == .decided(.deny(.unexpected)))
    }

    @Test func `a list with an entry that can't be read ends nothing, whatever it proves`()
        async throws
    {
        var acme = RicherAcme(.init(listsAll: false), in: harness.environment)
        acme.endsUnlisted = .unknown
        let authenticator = try await harness.enrolled(at: acme)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await authenticator.pending(for: .ada).isEmpty)
        #expect(try await state("1", at: authenticator) == .open)
    }

    // MARK: Lists that nobody may ask for

    @Test func `a list that is refused isn't asked for again until the app asks or starts again`()
        async throws
    {
        let acme = RicherAcme(.init(listsAll: true), in: harness.environment)
        let authenticator = try await harness.enrolled(["ada", "bob"], at: acme)
        await acme.refusesList.turn(on: true)
        for _ in 1...3 {
            #expect(await code { try await authenticator.pending(for: .ada) } == .listRefused)
        }
        #expect(await harness.server.requests["/pending"] == 1)
        await acme.refusesList.turn(on: false)
        // Another's list, pushes and answers go on.
        #expect(try await authenticator.pending(for: .bob).isEmpty)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        #expect(
            try await authenticator.pending().failures.mapValues(\.code) == [.ada: .listRefused])
        _ = try await authenticator.refresh(.ada)
        #expect(try await authenticator.pending(for: .ada).isEmpty)
        let later = try harness.authenticator(of: acme)
        #expect(try await later.pending(for: .ada).isEmpty)
    }

    @Test(.timeLimit(.minutes(2)))
    func `the loop leaves a refused list alone, and goes on once the app has asked`()
        async throws
    {
        let acme = RicherAcme(in: harness.environment)
        let authenticator = try await harness.enrolled(at: acme)
        await acme.refusesList.turn(on: true)
        let loop = Task { await authenticator.poll() }
        func lists() async -> Int { await harness.server.requests["/pending"] ?? 0 }
        func pass() async throws {
            try await eventually("The loop sleeps.") {
                await authenticator.polledNow == 0 && harness.clock.sleepers == 1
            }
            harness.clock.advance(by: .seconds(90))
        }
        try await eventually("It asks at once.") { await lists() == 1 }
        for _ in 1...5 { try await pass() }
        #expect(await lists() == 1)
        await acme.refusesList.turn(on: false)
        _ = try await authenticator.refresh(.ada)
        try await pass()
        try await eventually("It asks again.") { await lists() == 2 }
        loop.cancel()
        await loop.value
    }

    // MARK: Many at once

    @Test func `no more than the configuration allows are asked at once`() async throws {
        var configuration = AuthenticatorHarness.quiet
        configuration.concurrency = 3
        let authenticator = try harness.authenticator(configuration: configuration)
        let accounts = (1...12).map { "user\($0)" }
        for account in accounts { _ = try await authenticator.join(account) }
        let gate = Gate()
        await harness.server.hold("/pending", at: gate)
        let asking = Task { try await authenticator.pending() }
        await gate.arrival(3)
        await gate.open()
        #expect(try await asking.value.failures.isEmpty)
        #expect(await harness.server.requests["/pending"] == 12)
        #expect(await harness.server.greatestOverlap == 3)
    }

    // MARK: Whose turn it is

    @Test func `challenges that the vendor says nothing of keep no other from being asked about`()
        async throws
    {
        let authenticator = try await enrolled()
        for index in 10...25 { _ = try await authenticator.receive(try AcmeWire.ask("a\(index)")) }
        _ = try await authenticator.receive(try AcmeWire.ask("b"))
        await harness.server.expire("b")
        _ = try await authenticator.pending(for: .ada)
        #expect(await harness.server.statusQuestions == 16)
        _ = try await authenticator.pending(for: .ada)
        #expect(
            try await authenticator.record(of: .ada("b"))?.state
                == .over(Withdrawal(.ada("b"), .expired)))
        #expect(await harness.server.statusQuestions == 32)
    }
}
