import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Sections B1 and B5: whatever the clocks show.
@Suite struct ClockTests: ProcessSuite {
    typealias Call = Manager.Call

    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess() }

    // MARK: The clock

    @Test func `a refused clock is put right by the answer's time, once`() async throws {
        // A new process knows nothing of the server's time, and the wall clock is an hour ahead.
        let again = try phone.restarted(at: Date(Sheet.now + 3600))
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

    @Test(arguments: [3600, -3600, -Sheet.now, 86_400 * 365])
    func `whatever the device's clock shows, sign-in works and what expired stays dead`(
        offset: Int
    ) async throws {
        let again = try phone.restarted(at: Date(Sheet.now + offset))
        #expect(try await again.approve(pid) == .delivered)
        let late = await manager.begin()
        let push = try #require(await manager.take().last)
        again.pass(Int(600))
        #expect(await again.refusal(of: push)?.isLate == true)
        again.clock.set(Date(Sheet.now - 86_400))
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
        phone.clock.set(Date(Sheet.now + 1_000_000))
        #expect(try await phone.approve(next) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `one manager's wrong clock doesn't end another's processes`() async throws {
        let ahead = ManualClock(Date(Sheet.now + 7200))
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

    @Test func `managers behind one host share a clock, which each signed answer sets anew`()
        async throws
    {
        let ahead = ManualClock(Date(Sheet.now + 7200))
        let other = Manager("idm-demo-2", host: "\(Sheet.manager):8443", time: ahead)
        let phone = try Phone([manager, other], store: phone.store, clock: phone.clock)
        try await phone.enroll(await other.link())
        let next = await manager.begin()
        let push = try #require(await manager.take().last)
        // Its own manager's clock would leave it three minutes.
        #expect(await phone.refusal(of: push)?.isLate == true)
        _ = try await phone.authenticator.challenge(phone.id(pid))
        let last = await manager.begin()
        guard
            case .notice(let notice, .valid) = try await phone.receive(
                try #require(await manager.take().last)
            ).first?.kind
        else {
            Issue.record("The last answer was this manager's, so its clock counts.")
            return
        }
        #expect(notice.id == phone.id(last))
        // What was refused as late stays so.
        #expect(try await phone.state(next) != .open)
    }

    @Test(arguments: [200, 409, 503])
    func `an unsigned Date field ends nothing`(status: Int) async throws {
        let challenge = try await phone.authenticator.challenge(phone.id(pid))
        // Whoever terminates TLS could write it: section B5.
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

    @Test func `what another provider heard of the same host moves no manager's clock`()
        async throws
    {
        // The manager's own word on the time, then an unsigned one, a year behind: a message of now
        // isn't from the future of that.
        _ = try await phone.authenticator.challenge(phone.id(pid))
        phone.pass(1)
        await phone.clock.servers.note(
            hearsay: Date(Sheet.now - 31_536_000), at: Sheet.manager, sent: phone.clock.elapsed,
            received: phone.clock.elapsed)
        // A message that was long on its way says that it is at least that late, and no more.
        phone.clock.advance(by: .seconds(100))
        _ = try await phone.receive(
            manager.push("prc-late", to: Sheet.activation).data(manager.key))
        let validity = await phone.clock.servers.validity(
            until: Date(Sheet.now + 50), at: Sheet.manager, elapsed: phone.clock.elapsed)
        #expect(validity == .expired)
    }
}
