import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Two devices of one account: `docs/vendors/xignin-oxrw.md#at-the-manager`.
@Suite struct TwoDeviceTests {
    private let manager: Manager
    private let a: Phone
    private let b: Phone
    private let pid: String

    init() async throws {
        manager = Manager(time: ManualClock(Date(WorkedExample.personalized)))
        a = try Phone([manager])
        b = try Phone([manager])
        await manager.lay("secret-a", "act-a", "secret-b", "act-b")
        try await a.enroll(await manager.link(), token: .fcm("token-a"))
        try await b.enroll(await manager.link(), token: .fcm("token-b"))
        a.clock.advance(by: .seconds(60))
        b.pass(60)
        pid = await manager.begin()
        _ = try await a.receive(try #require(await manager.take(for: "act-a").first))
        _ = try await b.receive(try #require(await manager.take(for: "act-b").first))
    }

    private func reason(at phone: Phone) async throws -> Withdrawal.Reason? {
        guard case .over(let withdrawal) = try await phone.state(pid) else { return nil }
        return withdrawal.reason
    }

    @Test func `both are announced the same process`() async throws {
        #expect(try await a.state(pid) == .open)
        #expect(try await b.state(pid) == .open)
    }

    @Test func `of two that start at once one owns the process, and the other hears why`()
        async throws
    {
        let (first, second, id) = (a.authenticator, b.authenticator, a.id(pid))
        async let one = Result { () async throws(PushError) in _ = try await first.challenge(id) }
        async let two = Result { () async throws(PushError) in _ = try await second.challenge(id) }
        let results = [await one, await two]
        let winners = results.filter { if case .success = $0 { true } else { false } }
        #expect(winners.count == 1)
        let owner = try #require(await manager.processes[pid]?.owner)
        let (winner, loser) = owner == "act-a" ? (a, b) : (b, a)
        #expect(try await reason(at: loser) == .elsewhere)
        // Its cancel push, which comes later, is no news.
        let late = try await manager.take(for: owner == "act-a" ? "act-b" : "act-a")
        #expect(late.count == 1)
        for data in late {
            #expect(try await loser.receive(data).allSatisfy { !$0.isNew })
        }
        #expect(try await reason(at: loser) == .elsewhere)
        #expect(try await winner.approve(pid) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `a start here cancels there, exactly once`() async throws {
        _ = try await a.authenticator.challenge(a.id(pid))
        let data = try #require(await manager.take(for: "act-b").first)
        let reception = try #require(await b.receive(data).first)
        #expect(reception.isNew)
        #expect(try await reason(at: b) == .elsewhere)
        await #expect(throws: PushError.self) { _ = try await b.authenticator.challenge(b.id(pid)) }
        #expect(try await b.receive(data).allSatisfy { !$0.isNew })
        #expect(try await manager.take(for: "act-a").isEmpty)
    }

    @Test func `a no on the other device counts, and the owner hears of it`() async throws {
        let challenge = try await a.authenticator.challenge(a.id(pid))
        // The cancel push hasn't come to B yet.
        #expect(try await b.authenticator.deny(b.id(pid), .fraud) == .delivered)
        let outcome = try await a.authenticator.resolve(challenge, with: .approve)
        #expect(outcome != .delivered)
        #expect(await manager.decisions(pid) == ["reject not_me"])
        guard case .answered(.approve, outcome) = try await a.state(pid) else {
            Issue.record("The loser's word is final.")
            return
        }
        for data in try await manager.take(for: "act-a") { _ = try await a.receive(data) }
        #expect(try await a.state(pid) == .answered(.approve, outcome))
    }

    @Test func `a no elsewhere takes the open question away here`() async throws {
        let challenge = try await a.authenticator.challenge(a.id(pid))
        #expect(try await b.authenticator.deny(b.id(pid)) == .delivered)
        for data in try await manager.take(for: "act-a") { _ = try await a.receive(data) }
        #expect(try await reason(at: a) == .cancelled)
        let before = await manager.requests(.finish).count
        await #expect(throws: PushError.self) {
            _ = try await a.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await manager.requests(.finish).count == before)
    }

    @Test func `with the owner killed the other can't start, and the owner can again`()
        async throws
    {
        _ = try await a.authenticator.challenge(a.id(pid))
        let again = try a.restarted()
        let error = try await refusal { _ = try await b.authenticator.challenge(b.id(pid)) }
        #expect(error.code == .over)
        #expect(try await reason(at: b) == .elsewhere)
        #expect(try await again.approve(pid) == .delivered)
    }

    @Test func `with the owner killed for good the deadline ends it`() async throws {
        _ = try await a.authenticator.challenge(a.id(pid))
        let again = try a.restarted()
        again.clock.advance(by: .seconds(300))
        manager.time.advance(by: .seconds(300))
        await #expect(throws: PushError.self) { _ = try await again.approve(pid) }
        #expect(try await reason(at: again) == .expired)
        #expect(await manager.decisions(pid).isEmpty)
    }

    @Test func `approved there, and the cancel lost: a tap here hears that it is finished`()
        async throws
    {
        #expect(try await a.approve(pid) == .delivered)
        _ = try await manager.take(for: "act-b")
        await #expect(throws: PushError.self) { _ = try await b.authenticator.challenge(b.id(pid)) }
        #expect(try await reason(at: b) == .finished)
        #expect(await manager.decisions(pid) == ["approve"])
    }

    @Test func `a no while the other's approval is on its way: one counts`() async throws {
        let challenge = try await a.authenticator.challenge(a.id(pid))
        let (first, second, id) = (a.authenticator, b.authenticator, a.id(pid))
        async let yes = Result { () async throws(PushError) -> Outcome in
            try await first.resolve(challenge, with: .approve)
        }
        async let no = Result { () async throws(PushError) -> Outcome in
            try await second.deny(id)
        }
        let outcomes = [await yes, await no].map { try? $0.get() }
        #expect(outcomes.filter { $0 == .delivered }.count == 1)
        #expect(await manager.decisions(pid).count == 1)
    }

    @Test func `an abort by the service ends it everywhere`() async throws {
        _ = try await a.authenticator.challenge(a.id(pid))
        _ = try await manager.take(for: "act-b")
        await manager.abort(pid)
        for (phone, name) in [(a, "act-a"), (b, "act-b")] {
            for data in try await manager.take(for: name) { _ = try await phone.receive(data) }
            #expect(try await reason(at: phone) == .cancelled)
        }
    }

    @Test func `each device's push is its own`() async throws {
        let next = await manager.begin()
        let mine = try #require(await manager.take(for: "act-a").first)
        #expect(await b.refusal(of: mine)?.code == .identityManagerNotPersonalized)
        #expect(try await b.state(next) == nil)
    }

    @Test func `one device's wrong PINs don't lock the other`() async throws {
        await a.keypad.type(WorkedExample.wrongPIN)
        for _ in 0..<3 { _ = try? await a.approve(pid) }
        let next = await manager.begin()
        _ = try await b.receive(try #require(await manager.take(for: "act-b").last))
        #expect(try await b.approve(next) == .delivered)
    }
}
