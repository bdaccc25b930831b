import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import PushCore

struct ServerTimeTests {
    private let time = ServerTime()

    private func validity(_ offset: Double?, at elapsed: Duration) async -> Validity {
        await time.validity(
            until: offset.map { morning + $0 }, at: "acme.example", elapsed: elapsed)
    }

    @Test func `without an expiry time never runs out, without a sighting nobody knows`() async {
        #expect(await validity(nil, at: .zero) == .valid)
        #expect(await validity(-1e9, at: .zero) == .uncertain)
        #expect(await time.validity(until: morning, at: nil, elapsed: .zero) == .uncertain)
    }

    @Test func `a sighting is as sharp as the reply was quick`() async {
        // Sent at 10 s, received at 14 s, so at 14 s it is between +0 and +5 s there.
        await time.note(morning, at: "acme.example", sent: .seconds(10), received: .seconds(14))
        #expect(await validity(-0.1, at: .seconds(14)) == .expired)
        #expect(await validity(0, at: .seconds(14)) == .uncertain)
        #expect(await validity(4.9, at: .seconds(14)) == .uncertain)
        #expect(await validity(5, at: .seconds(14)) == .valid)
        #expect(await validity(105.1, at: .seconds(114)) == .valid)
        #expect(await validity(99.9, at: .seconds(114)) == .expired)
        #expect(await time.validity(until: morning, at: "other", elapsed: .zero) == .uncertain)
    }

    @Test func `sightings sharpen each other`() async {
        await time.note(morning, at: "acme.example", sent: .zero, received: .seconds(60))
        await time.note(
            morning + 30, at: "acme.example", sent: .seconds(58), received: .seconds(60))
        #expect(await validity(29.9, at: .seconds(60)) == .expired)
        #expect(await validity(33, at: .seconds(60)) == .valid)
        await time.note(
            morning + 90, at: "acme.example", sent: .seconds(60), received: .seconds(180))
        #expect(await validity(149.9, at: .seconds(180)) == .expired)
        #expect(await validity(153.1, at: .seconds(180)) == .valid)
    }

    @Test func `what is known of a clock blurs as it ages`() async {
        await time.note(morning, at: "acme.example", sent: .zero, received: .zero)
        let day: Double = 86_400
        // 100 parts per million are 8.64 s a day, either way.
        #expect(await validity(day - 8.7, at: .seconds(day)) == .expired)
        #expect(await validity(day - 8.6, at: .seconds(day)) == .uncertain)
        #expect(await validity(day + 9.6, at: .seconds(day)) == .uncertain)
        #expect(await validity(day + 9.7, at: .seconds(day)) == .valid)
    }

    @Test func `what a server signed has passed there`() async {
        await time.note(issued: morning, at: "acme.example", elapsed: .seconds(10))
        #expect(await validity(-1, at: .seconds(10)) == .expired)
        #expect(await validity(1, at: .seconds(10)) == .uncertain)
        #expect(await time.now(at: "acme.example", elapsed: .seconds(10)) == nil)
        // An older signature, such as a replay's, teaches nothing.
        await time.note(issued: morning - 500, at: "acme.example", elapsed: .seconds(10))
        #expect(await validity(-1, at: .seconds(10)) == .expired)
        await time.note(
            morning, at: "acme.example", sent: .seconds(10), received: .seconds(10))
        #expect(await validity(2, at: .seconds(10)) == .valid)
        // What the server's own replies contradict isn't believed.
        await time.note(issued: morning + 9e9, at: "acme.example", elapsed: .seconds(10))
        #expect(await validity(2, at: .seconds(10)) == .valid)
        let now = await time.now(at: "acme.example", elapsed: .seconds(12))
        #expect(now?.contains(morning + 2.5) == true && now?.contains(morning + 3.1) == false)
    }

    @Test func `a server's clock that was set is believed`() async {
        await time.note(morning, at: "acme.example", sent: .zero, received: .zero)
        await time.note(
            morning - 3600, at: "acme.example", sent: .seconds(1), received: .seconds(1))
        #expect(await validity(-3598, at: .seconds(1)) == .valid)
        #expect(await validity(-3601, at: .seconds(1)) == .expired)
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
            simulated, clock: clock, pauses: ServerPauses(), observer: SilentObserver())
        let request = try Endpoint("https://Acme.example:8443/x").request(.get)
        let reply = try await transport.send(request, body: Data())
        #expect(reply.response.status == .notFound && reply.body == Data("x".utf8))
        let seen = Date(timeIntervalSince1970: 784_111_777)
        let late = await clock.servers.validity(
            until: seen - 1, at: "acme.example", elapsed: clock.elapsed)
        let early = await clock.servers.validity(
            until: seen + 3, at: "acme.example", elapsed: clock.elapsed)
        // The exchange took two seconds, and nobody knows when in between the server wrote.
        let between = await clock.servers.validity(
            until: seen + 1, at: "acme.example", elapsed: clock.elapsed)
        #expect((late, between, early) == (.expired, .uncertain, .valid))
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
            simulated, clock: clock, pauses: ServerPauses(), observer: SilentObserver())
        _ = try await transport.send(try Endpoint("https://a.example").request(.get), body: Data())
        let written = Date(timeIntervalSince1970: 784_111_777)
        #expect(
            await clock.servers.validity(until: written - 9, at: "a.example", elapsed: .zero)
                == .uncertain)
        let now = await clock.servers.now(at: "a.example", elapsed: .zero)
        #expect(now == written...written + 1)
        // A reply that is certainly the server's says more.
        await clock.servers.note(
            morning, at: "a.example", sent: .seconds(1), received: .seconds(1))
        #expect(
            await clock.servers.now(at: "a.example", elapsed: .seconds(1))
                == morning...morning + 1)
    }

    @Test(arguments: ["", "yesterday", "Sunday, 06-Nov-94 08:49:37 GMT"])
    func `a date that can't be read teaches nothing`(text: String) async throws {
        let clock = ManualClock(morning)
        let simulated = SimulatedTransport { _, _ in
            var response = HTTPResponse(status: .ok)
            response.headerFields[.date] = text
            return (response, Data())
        }
        let transport = WatchedTransport(
            simulated, clock: clock, pauses: ServerPauses(), observer: SilentObserver())
        _ = try await transport.send(try Endpoint("https://a.example").request(.get), body: Data())
        #expect(
            await clock.servers.validity(until: morning, at: "a.example", elapsed: .zero)
                == .uncertain)
    }
}
