import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// A reply that isn't provably the manager's says nothing, whatever its status.
@Suite struct StrangerTests: ProcessSuite {
    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess() }

    private func next(
        _ call: Manager.Call, _ status: Int, _ stranger: Stranger, processed: Bool = false
    ) async {
        await manager.next(call, .replaced(status, stranger, processed: processed))
    }

    @Test(arguments: Stranger.statuses, [true, false])
    func `a fraud that was reported stays so, is sent again, and is never delivered as a yes`(
        status: Int, arrives: Bool
    ) async throws {
        await next(.reject, status, .page, processed: arrives)
        _ = try? await phone.authenticator.deny(phone.id(pid), .fraud)
        for stranger in Stranger.allCases {
            #expect(try await phone.state(pid) == .decided(.deny(.fraud)), "\(stranger)")
            // The user changes their mind: what the manager took can't even be opened.
            if !arrives { await next(.reject, status, stranger) }
            let error = try await refusal { _ = try await phone.approve(pid) }
            #expect(
                error.code == (arrives ? .over : .decidedOtherwise(.deny(.fraud))), "\(stranger)")
            await next(.reject, status, stranger)
            _ = try await phone.authenticator.resume()
        }
        #expect(try await phone.state(pid) == .decided(.deny(.fraud)))
        let again = try phone.restarted()
        #expect(try await again.authenticator.resume()[again.id(pid)] == .delivered)
        #expect(await manager.decisions(pid) == ["reject not_me"])
        #expect(await manager.requests(.finish).isEmpty)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(arguments: Stranger.statuses)
    func `an approval stays on record whatever a stranger answers, and is asked for again`(
        status: Int
    ) async throws {
        await next(.finish, status, .page, processed: true)
        _ = try? await phone.approve(pid)
        for stranger in Stranger.allCases {
            #expect(try await phone.state(pid) == .decided(.approve), "\(stranger)")
            await next(.finish, status, stranger)
            _ = try await phone.authenticator.resume()
        }
        #expect(try await phone.state(pid) == .decided(.approve))
        let error = try await refusal {
            await next(.finish, status, .words)
            _ = try await phone.authenticator.deny(phone.id(pid))
        }
        #expect(error.code == .decidedOtherwise(.approve))
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .delivered)
        #expect(await manager.decisions(pid) == ["approve"])
        #expect(try await phone.authenticator.enrollment(phone.enrollmentID())?.state == .active)
    }

    @Test(arguments: [Manager.Call.initialization, .start], Stranger.statuses)
    func `a stranger ends nothing that is opened`(call: Manager.Call, status: Int) async throws {
        for stranger in Stranger.allCases {
            await next(call, status, stranger)
            await #expect(throws: PushError.self) { try await make(.start, phone) }
            #expect(try await phone.state(pid) == .open, "\(stranger)")
        }
        #expect(try await phone.authenticator.enrollment(phone.enrollmentID())?.state == .active)
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(arguments: Stranger.statuses)
    func `a stranger takes no token away and ends no activation`(status: Int) async throws {
        for stranger in Stranger.allCases {
            await next(.token, status, stranger)
            let failures = try await phone.authenticator.deviceTokenChanged(.fcm("\(stranger)"))
            #expect(failures[phone.enrollmentID()] != nil, "\(stranger)")
            let states = try await phone.authenticator.deviceTokenStates()
            #expect(states[phone.enrollmentID()] == .waiting, "\(stranger)")
        }
        let enrollment = try await phone.authenticator.enrollment(phone.enrollmentID())
        #expect(enrollment?.state == .active)
        _ = try await phone.authenticator.resume()
        #expect(await manager.activations[WorkedExample.activation]?.token == "elsewhere")
    }

    @Test(arguments: Stranger.statuses)
    func `a personalization that a stranger refused is completed later`(status: Int)
        async throws
    {
        let other = Manager("idm-demo-2", host: "other.xignin.example", time: manager.time)
        let phone = try Phone([manager, other], store: phone.store, clock: phone.clock)
        await other.next(.personalization, .replaced(status, .page, processed: true))
        let text = await other.link()
        let id = phone.enrollmentID("idm-demo-2")
        _ = try await phone.enroll(text)
        for stranger in Stranger.allCases {
            #expect(
                try await phone.authenticator.enrollment(id)?.state == .pending(.unconfirmed),
                "\(stranger)")
            await other.next(.personalization, .replaced(status, stranger, processed: false))
            _ = try? await phone.authenticator.refresh(id)
            await other.next(.personalization, .replaced(status, stranger, processed: false))
            _ = try? await phone.enroll(text)
        }
        #expect(try await phone.authenticator.refresh(id).state == .active)
        #expect(await other.activations.count == 1)
    }

    @Test(arguments: Stranger.allCases)
    func `a stranger brings no keys`(stranger: Stranger) async throws {
        let rogue = SigningKey()
        let push = await manager.push("prc-rogue", to: WorkedExample.activation)
            .with(header: "kid", .string(rogue.publicKey.thumbprint))
        await manager.publish([manager.key, rogue])
        await next(.keys, 200, stranger)
        #expect(await phone.refusal(of: try push.data(rogue))?.code == .invalidSignature)
        #expect(await manager.requests(.keys).count == 1)
    }

    // MARK: The manager's own word, in no form that is documented

    private static let undocumented: [(Int, String, JSON.Object)] = [
        (400, "no_such_word", [:]), (401, "no_such_word", [:]), (403, "no_such_word", [:]),
        (403, "activation_locked", [:]),
        (
            403, "activation_locked",
            ["lockout": ["kind": "attempt", "seconds": 1, "remaining": 1, "permanent": false]]
        ),
        (404, "no_such_word", [:]), (405, "process_unknown", [:]), (409, "process_unknown", [:]),
        (410, "process_finished", [:]), (418, "process_expired", [:]),
        (422, "malformed_request", [:]), (426, "no_such_word", [:]), (429, "process_expired", [:]),
        (503, "process_cancelled", [:]), (201, "process_finished", [:]),
    ]

    @Test(arguments: undocumented)
    func `a signed refusal that the format doesn't have ends and reopens nothing`(
        status: Int, word: String, extra: JSON.Object
    ) async throws {
        let word = Manager.Refusal(status, word, extra)
        for call in [Manager.Call.initialization, .start] {
            await manager.next(call, .refused(word))
            await #expect(throws: PushError.self) { try await make(.start, phone) }
            #expect(try await phone.state(pid) == .open)
        }
        await manager.next(.reject, .refused(word))
        _ = try? await phone.authenticator.deny(phone.id(pid), .fraud)
        #expect(try await phone.state(pid) == .decided(.deny(.fraud)))
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .delivered)
        #expect(await manager.decisions(pid) == ["reject not_me"])
    }

    @Test func `missing factors reopen no rejection`() async throws {
        await manager.next(.reject, .refused(.init(400, "factors_missing")))
        _ = try? await phone.authenticator.deny(phone.id(pid), .fraud)
        #expect(try await phone.state(pid) == .decided(.deny(.fraud)))
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .delivered)
    }

    @Test func `a malformed request sends no rejection again`() async throws {
        await phone.faults.next(.dropBefore, where: { $0.path?.hasSuffix("/reject") == true })
        _ = try? await phone.authenticator.deny(phone.id(pid), .fraud)
        // Once its time is over, the manager is asked with the whole of it.
        phone.pass(WorkedExample.expiry - WorkedExample.now + 700)
        try await phone.learnTime()
        await manager.next(.reject, .refused(.init(400, "malformed_request")))
        _ = try? await phone.authenticator.resume()
        #expect(await manager.requests(.reject).count == 1)
        #expect(try await phone.state(pid) == .decided(.deny(.fraud)))
    }

    @Test func `a wrong factor without another challenge reopens nothing`() async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        let asked = try #require(await manager.processes[pid]?.challenge)
        let lockout: JSON = [
            "kind": "attempt", "seconds": 30, "remaining": 2, "permanent": false,
        ]
        await manager.next(
            .finish,
            .changed {
                $0["result"] = [
                    "type": "lockout", "lockout": lockout, "challenge": .string(asked),
                ]
            })
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(try await phone.state(pid) == .decided(.approve))
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .delivered)
    }

    @Test func `missing factors reopen nothing while an earlier copy may arrive`() async throws {
        await phone.faults.next(.dropBefore, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await phone.approve(pid)
        await manager.next(.finish, .refused(.init(400, "factors_missing")))
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .verifyAgain)
        // What was kept of it is asked about once more, and lacks the PIN. The user types that again,
        // and this copy is refused the same way.
        for _ in 0..<2 {
            await manager.next(.finish, .refused(.init(400, "factors_missing")))
        }
        _ = try? await phone.approve(pid)
        #expect(try await phone.state(pid) == .decided(.approve))
        let error = try await refusal {
            _ = try await phone.authenticator.deny(phone.id(pid))
        }
        #expect(error.code == .decidedOtherwise(.approve))
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test func `a process that an earlier answer may have finished isn't another device's`()
        async throws
    {
        await phone.faults.next(.dropBefore, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await phone.approve(pid)
        #expect(try await phone.authenticator.resume()[phone.id(pid)] == .verifyAgain)
        // The first copy arrives, late, between the question about it and the next answer.
        await manager.next(.finish, .refused(.init(400, "factors_missing")))
        await manager.next(.finish, .refused(.init(409, "process_finished")))
        guard case .unknown = try await phone.approve(pid) else {
            Issue.record("Nobody knows whose answer it was.")
            return
        }
        guard case .answered(.approve, .unknown) = try await phone.state(pid) else {
            Issue.record("It is over, and unknown.")
            return
        }
    }
}
