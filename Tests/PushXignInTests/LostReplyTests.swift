import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Each call repeated after its reply was lost, with one effect, and the app killed in each state:
/// `docs/vendors/xignin-oxrw.md#5-a-process`.
@Suite struct LostReplyTests: ProcessSuite {
    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess() }

    private func lose(_ call: Manager.Call, _ fault: FaultPlan.Fault = .dropAfter) async {
        await phone.faults.next(
            fault, where: { $0.path?.hasSuffix("/\(call.rawValue)") == true })
    }

    /// Every repeat has a new jti; what else these calls did is right.
    private func expectSound(_ call: Manager.Call, count: Int) async throws {
        let requests = await manager.requests(call)
        #expect(requests.count == count)
        #expect(Set(requests.compactMap(\.jti)).count == count)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(arguments: [Manager.Call.initialization, .start], [true, false])
    func `an opening whose reply was lost is opened again`(call: Manager.Call, restarts: Bool)
        async throws
    {
        await lose(call)
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.challenge(phone.id(pid))
        }
        let later = restarts ? try phone.restarted() : phone
        #expect(try await later.approve(pid) == .delivered)
        try await expectSound(call, count: 2)
        #expect(await manager.decisions(pid) == ["approve"])
        #expect(await manager.processes[pid]?.owner == WorkedExample.activation)
    }

    @Test(arguments: [true, false])
    func `an approval whose reply was lost is asked for, and taken once`(restarts: Bool)
        async throws
    {
        await lose(.finish)
        guard case .unknown = try await phone.approve(pid) else {
            Issue.record("A lost reply is no word.")
            return
        }
        let later = restarts ? try phone.restarted() : phone
        #expect(try await later.authenticator.resume()[later.id(pid)] == .delivered)
        let requests = await manager.requests(.finish)
        #expect(requests.count == 2)
        #expect(requests[0]["assertion"] == requests[1]["assertion"])
        // Without the PIN's proof, which was never kept.
        #expect(requests[1]["factors"]?.array?.isEmpty == true)
        try await expectSound(.finish, count: 2)
        #expect(await manager.decisions(pid) == ["approve"])
        #expect(try await later.authenticator.resume().isEmpty)
    }

    @Test(arguments: [true, false])
    func `an approval that never arrived needs the PIN again, and no other decision`(
        restarts: Bool
    ) async throws {
        await lose(.finish, .dropBefore)
        _ = try await phone.approve(pid)
        let later = restarts ? try phone.restarted() : phone
        let outcome = try await later.authenticator.resume()[later.id(pid)]
        #expect(outcome == .verifyAgain)
        #expect(await manager.decisions(pid).isEmpty)
        #expect(try await later.approve(pid) == .delivered)
        #expect(await manager.decisions(pid) == ["approve"])
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `an approval by biometry that never arrived arrives by itself`() async throws {
        let keyGuard = ScriptedGuard()
        let harness = try await XignInHarness(keyGuard: keyGuard)
        let pid = try await harness.begin()
        await harness.phone.faults.next(
            .dropBefore, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await harness.approve(pid)
        let again = try harness.phone.restarted()
        // The assertion and the biometric assertion are stored.
        #expect(try await again.authenticator.resume()[again.id(pid)] == .delivered)
        #expect(await keyGuard.requests.count == 1)
        #expect(await harness.manager.decisions(pid) == ["approve"])
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test func `a wrong PIN whose reply was lost is one attempt`() async throws {
        await phone.keypad.type(WorkedExample.wrongPIN)
        await lose(.finish)
        _ = try await phone.approve(pid)
        _ = try await phone.authenticator.resume()
        #expect(try await phone.state(pid) == .open)
        #expect(await manager.activations[WorkedExample.activation]?.failures == 1)
        await phone.keypad.type(WorkedExample.pin)
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(
        arguments: [FaultPlan.Fault.dropAfter, .dropBefore, .refuse, .status(503)], [true, false])
    func `a rejection whose reply was lost is repeated as it was, and counts once`(
        fault: FaultPlan.Fault, restarts: Bool
    ) async throws {
        await lose(.reject, fault)
        guard case .unknown = try await phone.authenticator.deny(phone.id(pid), .fraud) else {
            Issue.record("A lost reply is no word.")
            return
        }
        let later = restarts ? try phone.restarted() : phone
        #expect(try await later.authenticator.resume()[later.id(pid)] == .delivered)
        #expect(await manager.decisions(pid) == ["reject not_me"])
        try await expectSound(.reject, count: fault == .dropAfter ? 2 : 1)
    }

    @Test func `an approval that was judged stays judged, even while locked`() async throws {
        await lose(.finish)
        _ = try await phone.approve(pid)
        await manager.lock(WorkedExample.activation)
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .delivered)
    }

    @Test func `an approval ten minutes after the end without a word is unknown, and final`()
        async throws
    {
        await lose(.finish, .dropBefore)
        _ = try await phone.approve(pid)
        phone.pass(WorkedExample.expiry - WorkedExample.now + 700)
        await phone.faults.next(.dropBefore)
        _ = try await phone.authenticator.resume()
        let state = try await phone.state(pid)
        // Unknown or told by the manager, but never a success, and not asked about for ever.
        #expect(state != .answered(.approve, .delivered))
        _ = try await phone.authenticator.resume()
        guard case .answered = try await phone.state(pid) else {
            Issue.record("It has no end: \(String(describing: state)).")
            return
        }
    }

    @Test func `what is kept of an answer goes once no manager remembers it`() async throws {
        await lose(.finish)
        _ = try await phone.approve(pid)
        let request = try #require(await manager.requests(.finish).last)
        let assertion = Array(try #require(request["assertion"]?.string).utf8)
        #expect(await phone.store.holds(assertion))
        phone.pass(WorkedExample.expiry - WorkedExample.now + 700)
        _ = try await phone.authenticator.resume()
        #expect(await !phone.store.holds(assertion))
    }

    // MARK: Killed

    @Test func `killed when received, it is there`() async throws {
        let again = try phone.restarted()
        #expect(try await again.state(pid) == .open)
        #expect(try await again.approve(pid) == .delivered)
    }

    @Test func `killed when started, start gives the question back`() async throws {
        let first = try await phone.authenticator.challenge(phone.id(pid))
        let again = try phone.restarted()
        let second = try await again.authenticator.challenge(again.id(pid))
        #expect(
            first.details(as: AuthenticateRequest.self)?.transaction
                == second.details(as: AuthenticateRequest.self)?.transaction)
        #expect(try await again.authenticator.resolve(second, with: .approve) == .delivered)
        #expect(await manager.decisions(pid) == ["approve"])
    }

    @Test func `killed when completed, it stays so`() async throws {
        #expect(try await phone.approve(pid) == .delivered)
        let again = try phone.restarted()
        #expect(try await again.authenticator.resume().isEmpty)
        #expect(try await again.state(pid) == .answered(.approve, .delivered))
        #expect(await manager.requests(.finish).count == 1)
    }

    @Test func `a double tap is one answer`() async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        let authenticator = phone.authenticator
        async let first = Result { () async throws(PushError) -> Outcome in
            try await authenticator.resolve(challenge, with: .approve)
        }
        async let second = Result { () async throws(PushError) -> Outcome in
            try await authenticator.resolve(challenge, with: .approve)
        }
        let both = [await first, await second]
        #expect(try both.map { try $0.get() } == [.delivered, .delivered])
        #expect(await manager.requests(.finish).count == 1)
    }

    @Test func `a request that comes twice counts once`() async throws {
        await phone.faults.next(
            .duplicate, where: { $0.path?.hasSuffix("/reject") == true })
        _ = try? await phone.authenticator.deny(phone.id(pid))
        _ = try await phone.authenticator.resume()
        #expect(await manager.decisions(pid) == ["reject user_declined"])
        // The second copy's jti is old: 401, which says nothing of the answer.
        #expect(try await phone.state(pid) == .answered(.deny(.unexpected), .delivered))
    }
}
