import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Whatever the clocks show: `docs/vendors/xignin.md#the-managers-time`.
@Suite struct ClockTests: ProcessSuite {
    typealias Call = Manager.Call

    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess() }

    // MARK: The clock

    @Test func `a refused clock is put right by the answer's time, once`() async throws {
        // A new process knows nothing of the server's time, and the wall clock is an hour ahead.
        let again = try phone.restarted(at: Date(WorkedExample.now + 3600))
        _ = try await again.authenticator.challenge(again.id(pid))
        let requests = await manager.requests(.initialization)
        #expect(requests.count == 2)
        #expect(requests[0].jti != requests[1].jti)
        #expect(requests[0].body == requests[1].body)
        // From then on the first try is right.
        #expect(await manager.requests(.start).count == 1)
        #expect(try await again.approve(pid) == .delivered)
        #expect(await manager.requests(.finish).count == 1)
    }

    @Test func `a clock that stays refused isn't repeated for ever`() async throws {
        for _ in 0..<5 { await manager.next(.initialization, .refused(.init(401, "clock_skew"))) }
        await #expect(throws: PushError.self) { try await make(.start, phone) }
        #expect(await manager.requests(.initialization).count == 2)
        #expect(try await phone.state(pid) == .open)
    }

    @Test func `an unsigned word on the clock moves nothing`() async throws {
        await manager.next(
            .initialization, .refusedAndSpoiled(.init(401, "clock_skew"), .unsigned))
        await #expect(throws: PushError.self) { try await make(.start, phone) }
        #expect(await manager.requests(.initialization).count == 1)
    }

    @Test(arguments: [3600, -3600, -WorkedExample.now, 86_400 * 365])
    func `whatever the device's clock shows, sign-in works and what expired stays dead`(
        offset: Int
    ) async throws {
        let again = try phone.restarted(at: Date(WorkedExample.now + offset))
        #expect(try await again.approve(pid) == .delivered)
        let late = await manager.begin()
        let push = try #require(await manager.take().last)
        again.pass(Int(600))
        #expect(await again.refusal(of: push)?.isLate == true)
        again.clock.set(Date(WorkedExample.now - 86_400))
        #expect(try await again.state(late) != .open)
        await #expect(throws: PushError.self) { _ = try await again.approve(late) }
    }

    @Test func `a clock that jumps while running locks nobody out`() async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        phone.clock.set(Date(0))
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        let next = await manager.begin()
        try await phone.deliver()
        phone.clock.set(Date(WorkedExample.now + 1_000_000))
        #expect(try await phone.approve(next) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `one manager's wrong clock doesn't end another's processes`() async throws {
        let ahead = ManualClock(Date(WorkedExample.now + 7200))
        let other = Manager("idm-demo-2", host: "other.xignin.example", time: ahead)
        let phone = try Phone([manager, other], store: phone.store, clock: phone.clock)
        try await phone.enroll(await other.link())
        #expect(try await phone.approve(pid) == .delivered)
        let second = await manager.begin()
        let reception = try await phone.receive(try #require(await manager.take().last))
        guard case .notice(let notice, let validity) = reception.first?.kind else {
            Issue.record("It is announced.")
            return
        }
        #expect(notice.id == phone.id(second))
        #expect(validity == .valid)
    }

    @Test func `managers behind one host keep their clocks apart`() async throws {
        let ahead = ManualClock(Date(WorkedExample.now + 7200))
        let other = Manager("idm-demo-2", host: "\(WorkedExample.manager):8443", time: ahead)
        let phone = try Phone([manager, other], store: phone.store, clock: phone.clock)
        try await phone.enroll(await other.link())
        // Both say their time once more.
        #expect(try await phone.authenticator.deviceTokenChanged(.fcm("second")).isEmpty)
        let next = await manager.begin()
        let push = try #require(await manager.take().last)
        guard case .notice(let notice, .valid) = try await phone.receive(push).first?.kind else {
            Issue.record("Its own manager's clock leaves it three minutes.")
            return
        }
        #expect(notice.id == phone.id(next))
        try await phone.authenticator.resume()
        #expect(try await phone.state(pid) == .open)
    }

    @Test func `one signed time alone ends nothing`() async throws {
        _ = try await phone.authenticator.challenge(phone.id(pid))
        manager.time.advance(by: .seconds(7200))
        await manager.next(.token, .refused(.init(400, "malformed_request")))
        #expect(try await !phone.authenticator.deviceTokenChanged(.fcm("second")).isEmpty)
        manager.time.set(phone.clock.now)
        let next = await manager.begin()
        let push = try #require(await manager.take().last)
        guard case .notice(let notice, .valid) = try await phone.receive(push).first?.kind else {
            Issue.record("It is announced, and its time hasn't run out.")
            return
        }
        #expect(notice.id == phone.id(next))
        try await phone.authenticator.resume()
        #expect(try await phone.state(pid) == .open)
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test(arguments: [200, 409, 503])
    func `an unsigned Date field ends nothing`(status: Int) async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        // Whoever terminates TLS could write it, as no signature covers it.
        let fields: HTTPFields = [.date: "Fri, 01 Jan 2038 00:00:00 GMT"]
        await phone.faults.next(
            .reply(HTTPResponse(status: .init(code: status), headerFields: fields)))
        await #expect(throws: PushError.self) { try await make(.start, phone) }
        // Neither what comes now, nor what waits, nor what is on the screen.
        let next = await manager.begin()
        let push = try #require(await manager.take().last)
        guard case .notice(let notice, .valid) = try await phone.receive(push).first?.kind else {
            Issue.record("It is announced, and its time hasn't run out.")
            return
        }
        #expect(notice.id == phone.id(next))
        try await phone.authenticator.resume()
        #expect(try await phone.state(pid) == .open)
        #expect(try await phone.state(next) == .open)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await manager.requests(.initialization).count == 1)
    }

    @Test func `what others heard of the same host moves no manager's clock`() async throws {
        // The manager's own word on the time, twice.
        _ = try await phone.authenticator.challenge(phone.id(pid))
        let (servers, elapsed) = (phone.clock.serverTime, phone.clock.elapsed)
        let wrong = Date(WorkedExample.now + 31_536_000)
        for provider in [nil, "acme", "xignin"] as [ProviderID?] {
            let server = Endpoint.ServerID(host: WorkedExample.manager, of: provider)
            for _ in 0..<2 {
                await servers.note(wrong, at: server, sent: elapsed, received: elapsed)
                await servers.note(
                    unsignedReadings: wrong, at: server, sent: elapsed, received: elapsed)
            }
        }
        for other in [
            Enrollment.ID(WorkedExample.idm, of: "acme"), phone.enrollmentID("idm-other"),
        ] {
            for _ in 0..<2 {
                await servers.note(signed: wrong, for: other, sent: elapsed, received: elapsed)
            }
        }
        let push = try await manager.push("prc-now", to: WorkedExample.activation).data(manager.key)
        guard case .notice(_, .valid) = try await phone.receive(push).first?.kind else {
            Issue.record("Its own manager's clock leaves it three minutes.")
            return
        }
        try await phone.authenticator.resume()
        #expect(try await phone.state(pid) == .open)
        #expect(try await phone.approve(pid) == .delivered)
        // Nor is it what a request claims as its time.
        #expect(await manager.requests(.finish).count == 1)
    }
}
