import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import PushCore

struct ServerTimeTests {
    private let time = ServerTime()
    private let server = Endpoint.ServerID(host: "acme.example", of: "acme")

    private func validity(
        _ offset: Double?, at elapsed: Duration, of enrollment: Enrollment.ID = .ada,
        on server: Endpoint.ServerID? = nil
    ) async -> Validity {
        await time.validity(
            until: offset.map { morning + $0 }, for: enrollment, at: server ?? self.server,
            elapsed: elapsed)
    }

    /// A reply that takes no time.
    private func note(
        _ offset: Double, at elapsed: Duration, on server: Endpoint.ServerID? = nil
    ) async {
        await time.note(
            morning + offset, at: server ?? self.server, sent: elapsed, received: elapsed)
    }

    private func note(
        issued offset: Double, at elapsed: Duration, to enrollment: Enrollment.ID = .ada,
        now: Double = 0
    ) async {
        await time.note(
            issued: morning + offset, for: enrollment, at: server, now: morning + now,
            elapsed: elapsed)
    }

    @Test func `without an expiry time never runs out, without a reading nobody knows`() async {
        #expect(await validity(nil, at: .zero) == .valid)
        #expect(await validity(-1e9, at: .zero) == .uncertain)
        let nowhere = await time.validity(until: morning, for: .ada, at: nil, elapsed: .zero)
        #expect(nowhere == .uncertain)
    }

    @Test func `one reading ends nothing, two that agree do`() async {
        await note(0, at: .zero)
        #expect(await validity(-1e9, at: .zero) == .uncertain)
        #expect(await validity(10, at: .zero) == .valid)
        await note(5, at: .seconds(5))
        #expect(await validity(4, at: .seconds(5)) == .expired)
        #expect(await validity(7, at: .seconds(5)) == .valid)
    }

    @Test func `two readings are as sharp as the replies were quick`() async {
        // Sent at 10 s, received at 14 s, so at 14 s it is between +0 and +5 s there.
        for _ in 1...2 {
            await time.note(morning, at: server, sent: .seconds(10), received: .seconds(14))
        }
        #expect(await validity(-0.1, at: .seconds(14)) == .expired)
        #expect(await validity(0, at: .seconds(14)) == .uncertain)
        #expect(await validity(4.9, at: .seconds(14)) == .uncertain)
        #expect(await validity(5, at: .seconds(14)) == .valid)
        #expect(await validity(105.1, at: .seconds(114)) == .valid)
        #expect(await validity(99.9, at: .seconds(114)) == .expired)
    }

    @Test func `readings sharpen each other`() async {
        await time.note(morning, at: server, sent: .zero, received: .seconds(60))
        await time.note(morning + 30, at: server, sent: .seconds(58), received: .seconds(60))
        #expect(await validity(29.9, at: .seconds(60)) == .expired)
        #expect(await validity(33, at: .seconds(60)) == .valid)
        await time.note(morning + 90, at: server, sent: .seconds(60), received: .seconds(180))
        #expect(await validity(149.9, at: .seconds(180)) == .expired)
        #expect(await validity(153.1, at: .seconds(180)) == .valid)
    }

    @Test func `what is known of a clock blurs as it ages`() async {
        for _ in 1...2 { await note(0, at: .zero) }
        let day: Double = 86_400
        // 100 parts per million are 8.64 s a day, either way.
        #expect(await validity(day - 8.7, at: .seconds(day)) == .expired)
        #expect(await validity(day - 8.6, at: .seconds(day)) == .uncertain)
        #expect(await validity(day + 9.6, at: .seconds(day)) == .uncertain)
        #expect(await validity(day + 9.7, at: .seconds(day)) == .valid)
    }

    @Test func `a Date counts for its provider, host and port alone`() async {
        for _ in 1...2 { await note(0, at: .zero) }
        #expect(await validity(-1, at: .zero) == .expired)
        for other in [
            Endpoint.ServerID(host: "acme.example", of: "acme/b"),
            Endpoint.ServerID(host: "acme.example", of: nil),
            Endpoint.ServerID(host: "acme.example", port: 8443, of: "acme"),
            Endpoint.ServerID(host: "b.acme.example", of: "acme"),
        ] {
            #expect(await validity(-1, at: .zero, on: other) == .uncertain)
        }
        #expect(Endpoint.ServerID(host: "ACME.example", of: "acme") == server)
    }

    @Test func `a single Date that contradicts what is known doesn't win, two do`() async {
        for _ in 1...2 { await note(0, at: .zero) }
        await note(3600, at: .zero)
        #expect(await validity(10, at: .zero) == .valid)
        // One that agrees with what was known makes the other a mistake again.
        await note(1, at: .seconds(1))
        await note(3601, at: .seconds(1))
        #expect(await validity(10, at: .seconds(1)) == .valid)
        await note(3602, at: .seconds(2))
        #expect(await validity(10, at: .seconds(2)) == .expired)
    }

    @Test func `a server's clock that was set is believed once two readings say so`() async {
        for _ in 1...2 { await note(0, at: .zero) }
        await note(-3600, at: .seconds(1))
        #expect(await validity(-3000, at: .seconds(1)) == .expired)
        await note(-3599, at: .seconds(2))
        #expect(await validity(-3000, at: .seconds(2)) == .valid)
        #expect(await validity(-3601, at: .seconds(2)) == .expired)
    }

    @Test func `what two messages were signed after has passed, for their enrollment alone`()
        async
    {
        await note(issued: 0, at: .seconds(10))
        #expect(await validity(-1, at: .seconds(10)) == .uncertain)
        await note(issued: 20, at: .seconds(30))
        // Both vouch for the earlier one's time alone.
        #expect(await validity(19, at: .seconds(30)) == .expired)
        #expect(await validity(21, at: .seconds(30)) == .uncertain)
        #expect(await validity(-9000, at: .seconds(30), of: .bob) == .uncertain)
        #expect(await time.now(at: server, for: .ada, elapsed: .seconds(30)) == nil)
        // Older ones, such as those that were long on their way, take nothing back.
        for _ in 1...3 { await note(issued: -500, at: .seconds(30)) }
        #expect(await validity(19, at: .seconds(30)) == .expired)
    }

    @Test func `a far time that one message was signed with counts with no other`() async {
        await note(issued: 500, at: .zero)
        await note(issued: 0, at: .zero)
        #expect(await validity(1, at: .zero) == .uncertain)
        #expect(await validity(-1, at: .zero) == .expired)
    }

    @Test func `a message far ahead of this device and of what is known teaches nothing`() async {
        for _ in 1...2 { await note(issued: 601, at: .zero) }
        #expect(await validity(600, at: .zero) == .uncertain)
        for _ in 1...2 { await note(issued: 600, at: .zero) }
        #expect(await validity(599, at: .zero) == .expired)
        // A device whose clock is a day behind believes what its server's replies agree with.
        for _ in 1...2 {
            await note(86_400, at: .zero)
            await note(issued: 86_400.5, at: .zero, to: .bob)
        }
        #expect(await validity(86_399, at: .zero, of: .bob) == .expired)
    }

    @Test func `messages that contradict what replies agree on are ignored`() async {
        for _ in 1...2 { await note(0, at: .zero) }
        for _ in 1...2 { await note(issued: 300, at: .zero) }
        #expect(await validity(100, at: .zero) == .valid)
    }

    @Test func `a signed reply counts for its enrollment, and before unsigned ones`() async {
        for _ in 1...2 { await note(3600, at: .zero) }
        for _ in 1...2 {
            await time.note(signed: morning, for: .ada, sent: .zero, received: .zero)
        }
        #expect(await validity(10, at: .zero) == .valid)
        #expect(await validity(10, at: .zero, of: .bob) == .expired)
        let now = await time.now(at: server, for: .ada, elapsed: .zero)
        #expect(now == morning...morning + 1)
        let others = await time.now(at: server, for: .bob, elapsed: .zero)
        #expect(others == morning + 3600...morning + 3601)
    }

    @Test func `a reply teaches its server's time, even if it refuses`() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        let simulated = SimulatedTransport { _, _ in
            clock.advance(by: .seconds(2))
            var response = HTTPResponse(status: .notFound)
            response.headerFields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
            return (response, Data("x".utf8))
        }
        let transport = WatchedTransport(
            simulated, clock: clock,
            pauses: ServerPauses(
                InMemoryStore(), ManualClock(Date(timeIntervalSince1970: 0)), SilentObserver()),
            observer: SilentObserver())
        let request = try Endpoint("https://Acme.example:8443/x").request(.get)
        let reply = try await transport.send(request, body: Data())
        #expect(reply.response.status == .notFound && reply.body == Data("x".utf8))
        let seen = Date(timeIntervalSince1970: 784_111_777)
        let port = Endpoint.ServerID(host: "acme.example", port: 8443, of: nil)
        // The exchange took two seconds, and nobody knows when in between the server wrote.
        #expect(
            await clock.serverTime.now(at: port, elapsed: clock.elapsed) == seen...seen + 3)
    }

    @Test(arguments: [401, 403, 407, 500, 503])
    func `what may be a gateway's clock says which time to sign, and ends no challenge`(
        status: Int
    ) async throws {
        let clock = ManualClock(morning)
        let simulated = SimulatedTransport { _, _ in
            var response = HTTPResponse(status: .init(code: status))
            response.headerFields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
            return (response, Data())
        }
        let transport = WatchedTransport(
            simulated, clock: clock,
            pauses: ServerPauses(
                InMemoryStore(), ManualClock(Date(timeIntervalSince1970: 0)), SilentObserver()),
            observer: SilentObserver())
        _ = try await transport.send(try Endpoint("https://a.example").request(.get), body: Data())
        let written = Date(timeIntervalSince1970: 784_111_777)
        let server = Endpoint.ServerID(host: "a.example", of: nil)
        let verdict = await clock.serverTime.validity(
            until: written - 9, for: .ada, at: server, elapsed: .zero)
        #expect(verdict == .uncertain)
        let now = await clock.serverTime.now(at: server, elapsed: .zero)
        #expect(now == written...written + 1)
        // A reply that is the server's, and newer, says more.
        await clock.serverTime.note(morning, at: server, sent: .seconds(1), received: .seconds(1))
        #expect(
            await clock.serverTime.now(at: server, elapsed: .seconds(1)) == morning...morning + 1)
    }

    @Test(arguments: ["", "yesterday", "Sunday, 06-Nov-1994 08:49:37 GMT"])
    func `a date that can't be read teaches nothing`(text: String) async throws {
        let clock = ManualClock(morning)
        let simulated = SimulatedTransport { _, _ in
            var response = HTTPResponse(status: .ok)
            response.headerFields[.date] = text
            return (response, Data())
        }
        let transport = WatchedTransport(
            simulated, clock: clock,
            pauses: ServerPauses(
                InMemoryStore(), ManualClock(Date(timeIntervalSince1970: 0)), SilentObserver()),
            observer: SilentObserver())
        _ = try await transport.send(try Endpoint("https://a.example").request(.get), body: Data())
        let server = Endpoint.ServerID(host: "a.example", of: nil)
        #expect(await clock.serverTime.now(at: server, elapsed: .zero) == nil)
    }
}
