import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Cancels and deadlines of what was started or is being answered:
/// `docs/vendors/xignin-oxrw.md#at-the-device`.
@Suite struct StartedProcessTests: ProcessSuite {
    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess(delivered: false) }

    // MARK: Started

    @Test func `a cancel between opening and answering refuses the answer, with no call`()
        async throws
    {
        _ = try await phone.receive(push)
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        let before = await manager.requests.count
        _ = try await phone.receive(cancel())
        let error = try await refusal {
            _ = try await phone.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .over)
        #expect(await manager.requests.count == before)
        _ = try await over()
    }

    @Test func `a cancel while the user types the PIN refuses the answer`() async throws {
        _ = try await phone.receive(push)
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        let cancel = try await cancel()
        let verifier = ScriptedVerifier { _ in
            _ = try? await phone.receive(cancel)
            return [.pin(Secret(Array(WorkedExample.pin.utf8)))]
        }
        let authenticator = try App(
            over: phone.transport, store: phone.store, user: verifier, clock: phone.clock
        ).authenticator
        await #expect(throws: PushError.self) {
            _ = try await authenticator.resolve(challenge, with: .approve)
        }
        #expect(await manager.requests(.finish).isEmpty)
    }

    @Test func `a started process is announced no second time`() async throws {
        _ = try await phone.receive(push)
        _ = try await phone.authenticator.challenge(phone.id(pid))
        #expect(try await phone.receive(push).allSatisfy { !$0.isNew })
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await manager.requests(.start).count == 2)
    }

    @Test func `the deadline passes while the question is open: nothing is sent`() async throws {
        _ = try await phone.receive(push)
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        phone.pass(200)
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await manager.requests(.finish).isEmpty)
        #expect(try await over().reason == .expired)
    }

    @Test func `the deadline runs on the monotonic clock, whatever the wall clock shows`()
        async throws
    {
        // `expires_at` − `iat` of the first verified response, even where nothing else is known.
        let again = try phone.restarted(at: Date(0))
        _ = try await again.receive(push)
        let challenge = try await again.authenticator.challenge(again.id(pid))
        again.pass(200)
        again.clock.set(Date(0))
        await #expect(throws: PushError.self) {
            _ = try await again.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await manager.requests(.finish).isEmpty)
    }

    // MARK: Answering

    @Test
    func `a cancel while the answer is on its way is remembered, and the manager's word counts`()
        async throws
    {
        _ = try await phone.receive(push)
        await phone.faults.next(.dropAfter, where: { $0.path?.hasSuffix("/finish") == true })
        guard case .unknown = try await phone.approve(pid) else {
            Issue.record("A lost reply is no word.")
            return
        }
        _ = try await phone.receive(cancel())
        guard case .decided(.approve) = try await phone.state(pid) else {
            Issue.record("The manager's word decides.")
            return
        }
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .delivered)
        #expect(try await phone.state(pid) == .answered(.approve, .delivered))
    }

    @Test func `a wrong PIN with a cancel remembered ends the process`() async throws {
        _ = try await phone.receive(push)
        await phone.keypad.type(WorkedExample.wrongPIN)
        await phone.faults.next(.dropAfter, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await phone.approve(pid)
        _ = try await phone.receive(cancel())
        _ = try await phone.authenticator.resume()
        _ = try await over()
        await phone.keypad.type(WorkedExample.pin)
        await #expect(throws: PushError.self) { _ = try await phone.approve(pid) }
    }

    @Test func `past the deadline an answer that may have arrived gets its word`() async throws {
        _ = try await phone.receive(push)
        await phone.faults.next(.dropAfter, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await phone.approve(pid)
        phone.pass(300)
        // An assertion that was judged gets the result on record, also after the deadline.
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .delivered)
        #expect(try await phone.state(pid) == .answered(.approve, .delivered))
    }

    @Test func `past the deadline an answer that never arrived is expired`() async throws {
        _ = try await phone.receive(push)
        await phone.faults.next(.dropBefore, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await phone.approve(pid)
        phone.pass(300)
        _ = try await phone.authenticator.resume()
        guard case .answered(.approve, let outcome) = try await phone.state(pid) else {
            Issue.record("It has an end: \(String(describing: try await phone.state(pid))).")
            return
        }
        #expect(outcome == .expired)
        #expect(await manager.decisions(pid).isEmpty)
    }

    @Test func `another decision is refused while one stands`() async throws {
        _ = try await phone.receive(push)
        await phone.faults.next(.dropAfter, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await phone.approve(pid)
        await phone.faults.next(.refuse)
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.deny(phone.id(pid))
        }
        #expect(await manager.requests(.reject).isEmpty)
        #expect(await manager.decisions(pid) == ["approve"])
    }
}
