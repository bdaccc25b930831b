import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What each word of the manager does: `docs/vendors/xignin-oxrw.md#7-errors`.
@Suite struct AnswerTests: ProcessSuite {
    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess() }

    static let ends: [(Int, String)] = [
        (404, "process_unknown"), (409, "process_already_started"), (409, "process_finished"),
        (409, "process_not_started"), (410, "process_expired"), (410, "process_cancelled"),
    ]

    @Test(arguments: [Manager.Call.initialization, .start], ends)
    func `an end that the manager tells while opening ends the process`(
        call: Manager.Call, answer: (status: Int, name: String)
    ) async throws {
        await manager.next(call, .refused(.init(answer.status, answer.name)))
        let error = try await refusal { _ = try await phone.authenticator.challenge(phone.id(pid)) }
        #expect(error.code == .over)
        let expected: [String: Withdrawal.Reason] = [
            "process_expired": .expired, "process_already_started": .elsewhere,
            "process_finished": .finished,
        ]
        let reason = expected[answer.name] ?? .cancelled
        #expect(
            try await phone.state(pid) == .over(Withdrawal(phone.id(pid), reason)))
        let requests = await manager.requests.count
        await #expect(throws: PushError.self) { _ = try await phone.approve(pid) }
        #expect(await manager.requests.count == requests)
    }

    @Test(arguments: [Manager.Call.finish, .reject], ends)
    func `an end that the manager tells to a decision ends the process`(
        call: Manager.Call, answer: (status: Int, name: String)
    ) async throws {
        await manager.next(call, .refused(.init(answer.status, answer.name)))
        let outcome =
            call == .finish
            ? try await phone.approve(pid) : try await phone.authenticator.deny(phone.id(pid))
        let expected: [String: Outcome] = [
            "process_already_started": .answeredElsewhere, "process_finished": .answeredElsewhere,
            "process_expired": .expired,
        ]
        #expect(outcome == expected[answer.name] ?? .cancelled)
        guard case .answered(_, outcome) = try await phone.state(pid) else {
            Issue.record("\(answer.name) is final.")
            return
        }
        #expect(try await phone.authenticator.resume().isEmpty)
        #expect(await manager.requests(call).count == 1)
    }

    @Test(arguments: [
        (400, "malformed_request"), (401, "invalid_device_signature"), (401, "replayed_request"),
    ])
    func `a complaint about the request changes no state`(status: Int, name: String)
        async throws
    {
        for call in [Manager.Call.initialization, .start] {
            await manager.next(call, .refused(.init(status, name)))
            await #expect(throws: PushError.self) {
                _ = try await phone.authenticator.challenge(phone.id(pid))
            }
            #expect(try await phone.state(pid) == .open)
        }
        await manager.next(.finish, .refused(.init(status, name)))
        _ = try? await phone.approve(pid)
        switch try await phone.state(pid) {
        case .decided, .open: break
        case let state: Issue.record("No state change, but \(String(describing: state)).")
        }
        // Never retried with the same jti; the manager's word on a fresh one is taken.
        _ = try await phone.authenticator.resume()
        let all = await manager.requests.compactMap(\.jti)
        #expect(Set(all).count == all.count)
    }

    @Test func `missing factors bring the process back to the user`() async throws {
        await manager.next(.finish, .refused(.init(400, "factors_missing")))
        let outcome = try await phone.approve(pid)
        #expect(outcome != .delivered)
        // Asked again, the same process is approved.
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await manager.activations[WorkedExample.activation]?.failures == 0)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(arguments: [Manager.Call.initialization, .start])
    func `a version that the manager won't speak is incompatible`(call: Manager.Call)
        async throws
    {
        await manager.next(
            call, .refused(.init(426, "api_version_unsupported", ["min_api": "2.0.0"])))
        let error = try await refusal { _ = try await phone.authenticator.challenge(phone.id(pid)) }
        #expect(error.code == .unsupported)
        #expect(await manager.requests(.finish).isEmpty)
        // This app can't even say no to it.
        #expect(try await phone.state(pid) == .over(Withdrawal(phone.id(pid), .unknown)))
    }

    @Test(arguments: ["2.0.0", "0.9.0", "1.0.1", "x", ""])
    func `a version outside our range isn't spoken`(version: String) async throws {
        await manager.next(.initialization, .changed { $0["api"] = .string(version) })
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.challenge(phone.id(pid))
        }
        #expect(await manager.requests(.start).isEmpty)
    }

    @Test func `a version that isn't spoken any more when the answer comes is final`()
        async throws
    {
        await manager.next(
            .finish, .refused(.init(426, "api_version_unsupported", ["min_api": "2.0.0"])))
        let outcome = try await phone.approve(pid)
        guard case .notTaken(let refusal) = outcome else {
            Issue.record("It is completed(failed), not \(outcome).")
            return
        }
        #expect(!refusal.mayRetry)
        #expect(try await phone.state(pid) == .answered(.approve, outcome))
    }

    // MARK: Deny

    @Test(arguments: [
        (DenyReason.unexpected, "user_declined"), (.fraud, "not_me"), (.ignore, "user_declined"),
        (.custom("x"), "user_declined"),
    ])
    func `a no is a rejection with one of two reasons, unopened`(
        reason: DenyReason, expected: String
    ) async throws {
        #expect(try await phone.authenticator.deny(phone.id(pid), reason) == .delivered)
        #expect(await manager.decisions(pid) == ["reject \(expected)"])
        #expect(await manager.requests(.initialization).isEmpty)
        #expect(await manager.requests(.start).isEmpty)
        #expect(await manager.complaints.isEmpty)
        #expect(try await phone.state(pid) == .answered(.deny(reason), .delivered))
    }

    @Test func `a no needs neither finger nor PIN`() async throws {
        let asked = await phone.keypad.requests.count
        #expect(try await phone.authenticator.deny(phone.id(pid)) == .delivered)
        #expect(await phone.keypad.requests.count == asked)
    }

    @Test func `a no after opening is a no`() async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        #expect(
            try await phone.authenticator.resolve(challenge, with: .deny(.fraud)) == .delivered)
        #expect(await manager.decisions(pid) == ["reject not_me"])
    }

    // MARK: Words that can't be

    @Test func `a result of another kind is no success`() async throws {
        let types = ["service_login", "api_access_delete", "", "USER_LOGIN", "rejected"]
        for type in types {
            let pid = try await harness.begin()
            await manager.next(.finish, .changed { $0["result"] = ["type": .string(type)] })
            let outcome = try? await phone.approve(pid)
            #expect(outcome != .delivered, "\(type)")
        }
    }

    @Test func `a login is no answer to a no`() async throws {
        let result: JSON = [
            "type": "user_login", "time": 1, "service": ["id": "svc-1", "name": "x"],
        ]
        await manager.next(.reject, .changed { $0["result"] = result })
        let outcome = try? await phone.authenticator.deny(phone.id(pid))
        #expect(outcome != .delivered)
    }

    @Test func `opening fetches only when the user opens`() async throws {
        _ = try await phone.authenticator.resume()
        _ = try await phone.authenticator.pending()
        _ = try await phone.authenticator.records()
        #expect(await manager.requests.count == 1)
        _ = try await phone.authenticator.challenge(phone.id(pid))
        #expect(await manager.requests.map(\.call) == [.personalization, .initialization, .start])
        let process = try #require(await manager.processes[pid])
        #expect(process.owner == WorkedExample.activation)
    }

    // MARK: Lockouts

    @Test func `a wrong PIN, then the right one, in the same process`() async throws {
        await phone.keypad.type(WorkedExample.wrongPIN)
        guard case .notTaken(let refusal) = try await phone.approve(pid) else {
            Issue.record("A wrong PIN isn't taken.")
            return
        }
        #expect(refusal.reason == .verification)
        #expect(refusal.mayRetry)
        #expect(refusal.attemptsLeft == 2)
        #expect(try await phone.state(pid) == .open)
        await phone.keypad.type(WorkedExample.pin)
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `the new challenge is answered, without opening again`() async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        await phone.keypad.type(WorkedExample.wrongPIN)
        guard case .notTaken = try await phone.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("A wrong PIN isn't taken.")
            return
        }
        await phone.keypad.type(WorkedExample.pin)
        // The app still holds the challenge it was given: the same process goes on.
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `after a wrong PIN the user may still say no`() async throws {
        await phone.keypad.type(WorkedExample.wrongPIN)
        _ = try await phone.approve(pid)
        #expect(try await phone.authenticator.deny(phone.id(pid)) == .delivered)
        #expect(await manager.decisions(pid) == ["reject user_declined"])
    }

    @Test func `a lockout that runs kills the process`() async throws {
        await manager.lock(WorkedExample.activation)
        let error = try await refusal { _ = try await phone.authenticator.challenge(phone.id(pid)) }
        #expect(error.code == .blocked)
        await manager.lock(WorkedExample.activation, false)
        #expect(try await phone.state(pid) != .open)
        await #expect(throws: PushError.self) { _ = try await phone.approve(pid) }
        // The next one is alive.
        let next = try await harness.begin()
        #expect(try await phone.approve(next) == .delivered)
    }

    @Test func `a lockout that runs when the answer comes kills the process`() async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        await manager.lock(WorkedExample.activation)
        let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(outcome != .delivered)
        switch try await phone.state(pid) {
        case .answered(.approve, .notTaken(let refusal)): #expect(!refusal.mayRetry)
        case .over: break
        case let state: Issue.record("The process is dead, not \(String(describing: state)).")
        }
        await manager.lock(WorkedExample.activation, false)
        _ = try await phone.authenticator.resume()
        #expect(await manager.decisions(pid).isEmpty)
    }

    @Test func `wrong PINs until the manager locks`() async throws {
        await phone.keypad.type(WorkedExample.wrongPIN)
        var left: [Int?] = []
        for _ in 0..<3 {
            guard case .notTaken(let refusal) = try await phone.approve(pid) else { break }
            left.append(refusal.attemptsLeft)
        }
        #expect(left == [2, 1, 0])
        await phone.keypad.type(WorkedExample.pin)
        await #expect(throws: PushError.self) { _ = try await phone.approve(pid) }
        #expect(await manager.decisions(pid).isEmpty)
    }
}
