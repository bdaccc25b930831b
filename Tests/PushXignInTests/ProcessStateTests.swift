import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Messages and time, as far as an app can see them: `docs/vendors/xignin-oxrw.md#at-the-device`.
/// The states are the ledger's.
@Suite struct ProcessStateTests: ProcessSuite {
    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess(delivered: false) }

    // MARK: None

    @Test func `an announcement is new once`() async throws {
        let first = try #require(await phone.receive(push).first)
        guard case .notice(let notice, let validity) = first.kind else {
            Issue.record("It is announced.")
            return
        }
        #expect(first.isNew)
        #expect(validity == .valid)
        #expect(notice.proof == .signature)
        #expect(notice.issued == Date(WorkedExample.now))
        #expect(notice.expiry == Date(WorkedExample.now + 180))
        #expect(try await phone.state(pid) == .open)
        let again = try #require(await phone.receive(push).first)
        #expect(!again.isNew)
        #expect(again.kind == first.kind)
    }

    @Test func `another message about the same process gives the stored result`() async throws {
        let first = try await phone.handle(push)
        let other = try await variant { claims in
            claims["title"] = "Something else"
            claims["prio"] = "low"
            claims["ign"] = true
        }
        #expect(try await phone.handle(other) == first)
        #expect(try await phone.receive(other).allSatisfy { !$0.isNew })
    }

    @Test func `a cancel that comes first leaves a tombstone, and tells the user nothing`()
        async throws
    {
        guard case .cancel = try await phone.handle(cancel()) else {
            Issue.record("It is a cancel.")
            return
        }
        try await expectNotShown(push)
        let again = try phone.restarted()
        #expect(try await again.receive(push).allSatisfy { !$0.isNew })
        await #expect(throws: PushError.self) { _ = try await again.approve(pid) }
        #expect(await manager.requests.count == 1)
    }

    @Test func `a tombstone lasts ten minutes longer than the process could`() async throws {
        let reception = try #require(await phone.receive(cancel()).first)
        guard case .over(let withdrawal) = reception.kind else {
            Issue.record("It is a cancel.")
            return
        }
        let end = try #require(await manager.processes[pid]?.expiry)
        #expect(withdrawal.expiry == Date(end + 600))
    }

    @Test func `an incompatible message makes no traffic and no row to approve`() async throws {
        let later = try await variant { $0["min_api"] = "2.0.0" }
        let reception = try #require(await phone.receive(later).first)
        guard case .incompatible(let incompatible) = reception.kind else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(incompatible.id == phone.id(pid))
        #expect(incompatible.kind == "authentication")
        #expect(incompatible.minimumVersion == "2.0.0")
        #expect(!incompatible.isIgnorable)
        #expect(!incompatible.withdraws)
        #expect(reception.isNew)
        #expect(try await phone.receive(later).allSatisfy { !$0.isNew })
        await #expect(throws: PushError.self) { _ = try await phone.approve(pid) }
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.deny(phone.id(pid))
        }
        #expect(await manager.requests.count == 1)
    }

    @Test func `an incompatible message that may be ignored says so`() async throws {
        let later = try await variant { claims in
            claims["min_api"] = "2.0.0"
            claims["ign"] = true
        }
        guard case .incompatible(let incompatible) = try await phone.receive(later).first?.kind
        else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(incompatible.isIgnorable)
    }

    // MARK: Received, presented

    @Test(arguments: [
        ("processed_elsewhere", Withdrawal.Reason.elsewhere), ("aborted", .cancelled),
        ("completed", .finished), ("expired", .expired), ("later_reason", .cancelled),
    ])
    func `a cancel ends what was received, and says why`(
        reason: String, expected: Withdrawal.Reason
    ) async throws {
        _ = try await phone.receive(push)
        let reception = try #require(await phone.receive(cancel(reason)).first)
        #expect(reception.isNew)
        let end = try #require(await manager.processes[pid]?.expiry)
        #expect(
            reception.kind
                == .over(Withdrawal(phone.id(pid), expected, expiry: Date(end + 600))))
        #expect(try await phone.receive(cancel(reason)).allSatisfy { !$0.isNew })
        try await expectNotShown(push)
        await #expect(throws: PushError.self) { _ = try await phone.approve(pid) }
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.deny(phone.id(pid))
        }
        #expect(await manager.requests.count == 1)
    }

    @Test func `a cancel whose own end has passed still ends what it names`() async throws {
        _ = try await phone.receive(push)
        let old = await manager.cancel(pid, to: WorkedExample.activation, reason: "aborted")
            .with("iat", .number(.init(Int64(WorkedExample.now - 86_400))))
            .with("exp", .number(.init(Int64(WorkedExample.now - 86_000))))
        _ = try await phone.receive(try old.data(manager.key))
        #expect(try await over().reason == .cancelled)
    }

    @Test func `a cancel needs the pair: another manager's leaves it untouched`() async throws {
        let other = Manager("idm-demo-2", host: "other.xignin.example", time: manager.time)
        let both = try Phone([manager, other], store: phone.store, clock: phone.clock)
        try await both.enroll(await other.link())
        _ = try await both.receive(push)
        let theirs = try await both.activation(at: 1)
        let foreign = await other.cancel(pid, to: theirs, reason: "aborted")
        _ = try await both.receive(try foreign.data(other.key))
        #expect(try await both.state(pid) == .open)
        // The tombstone is the other manager's alone.
        let late = try await other.push(pid, to: theirs).data(other.key)
        guard case .cancel(let message) = try await both.handle(late) else {
            Issue.record("The other manager's process is over.")
            return
        }
        #expect(message.idmIdentifier == "idm-demo-2")
        #expect(try await both.approve(pid) == .delivered)
    }

    @Test func `an incompatible message about a known process changes nothing`() async throws {
        let first = try await phone.handle(push)
        let later = try await variant { $0["min_api"] = "2.0.0" }
        guard case .incompatible = try await phone.handle(later) else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(try await phone.state(pid) == .open)
        #expect(try await phone.handle(push) == first)
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test(arguments: ["2.0.0", "x"])
    func `an incompatible cancel ends the process all the same`(version: String) async throws {
        _ = try await phone.receive(push)
        let later = await manager.cancel(pid, to: WorkedExample.activation, reason: "aborted")
            .with("min_api", .string(version))
        let reception = try #require(await phone.receive(try later.data(manager.key)).first)
        guard case .incompatible(let incompatible) = reception.kind else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(incompatible.withdraws)
        #expect(incompatible.kind == "cancel")
        #expect(reception.isNew)
        _ = try await over()
        try await expectNotShown(push)
    }

    @Test func `an incompatible cancel that comes first leaves a tombstone, too`() async throws {
        let later = await manager.cancel(pid, to: WorkedExample.activation, reason: "aborted")
            .with("min_api", "2.0.0")
        _ = try await phone.receive(try later.data(manager.key))
        try await expectNotShown(push)
    }

    @Test func `the deadline ends what was received`() async throws {
        _ = try await phone.receive(push)
        phone.pass(200)
        await #expect(throws: PushError.self) { _ = try await phone.approve(pid) }
        #expect(try await over().reason == .expired)
        #expect(await manager.decisions(pid).isEmpty)
        #expect(await phone.refusal(of: push)?.isLate == true)
        #expect(try await over().reason == .expired)
    }
}
