import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

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

    // MARK: Many at once

    @Test func `no more than the policies allow are asked at once`() async throws {
        var policies = AuthenticatorHarness.quiet
        policies.concurrency = 3
        let authenticator = try harness.authenticator(policies: policies)
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
