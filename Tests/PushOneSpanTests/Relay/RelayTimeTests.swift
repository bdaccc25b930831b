import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The relay's `Date` is the relay's: only what the platform sealed tells its time.
@Suite struct RelayTimeTests {
    private static let far = "Fri, 01 Jan 2100 00:00:00 GMT"
    private static let past = "Thu, 01 Jan 1970 00:00:10 GMT"
    private static let relay = Endpoint.ServerID(host: "app.example.com", of: "onespan")
    private static let app = Endpoint.ServerID(host: "app.example.com", of: nil)

    /// The time that is known of an enrollment's server, signed or not.
    private func known(_ harness: OneSpanHarness, _ id: Enrollment.ID?) async -> ClosedRange<Date>?
    {
        for server in [Self.relay, Self.app] {
            let known = await harness.clock.serverTime.now(
                at: server, for: id, elapsed: harness.clock.elapsed)
            if let known { return known }
        }
        return nil
    }

    private func relay(_ harness: OneSpanHarness) throws -> HTTPCommandRelay {
        HTTPCommandRelay(
            try Endpoint("https://app.example.com/commands"),
            in: PushEnvironment(
                transport: harness.gateway, store: harness.store, verifier: harness.user,
                clock: harness.clock, device: Device(name: "Phone", platform: .android)))
    }

    @Test(arguments: [far, past], [200, 404, 503])
    func `a thousand lying dates of a relay teach nothing, and end nothing`(
        date: String, status: Int
    ) async throws {
        let harness = try await OneSpanHarness.activated()
        let (answered, done) = try await harness.login(.none)
        let first = try await harness.authenticator.challenge(done)
        #expect(try await harness.authenticator.resolve(first, with: .approve) == .delivered)
        await harness.gateway.say(date: date)
        let (login, id) = try await harness.login(.none)
        await harness.gateway.answer(as: .init(status: status, body: "<html></html>"))
        let before = await known(harness, id.enrollment)
        let relay = try relay(harness)
        let command = try OrchestrationCommand("00FF")
        for _ in 0..<1_000 {
            _ = try? await relay.exchange(command, correlation: FlowID("1"))
        }
        #expect(await known(harness, nil) == nil)
        #expect(await known(harness, id.enrollment) == before)
        await harness.gateway.answer(as: nil)
        // A start is when the core looks for what is over.
        _ = try await harness.authenticator.resume()
        #expect(try await harness.authenticator.record(of: id)?.state == .open)
        #expect(
            try await harness.authenticator.record(of: done)?.state
                == .answered(.approve, .delivered))
        let challenge = try await harness.authenticator.challenge(id)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
        #expect(try await harness.simulator.status(of: answered.id) == .approved)
    }

    @Test func `nothing that is sealed or signed changes by a relay's date`() async throws {
        var commands: [[String]] = []
        for date in [nil, Self.far, Self.past] {
            let harness = try OneSpanHarness()
            await harness.gateway.say(date: date)
            try await harness.activate()
            let (_, id) = try await harness.login(.none)
            let challenge = try await harness.authenticator.challenge(id)
            #expect(
                try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
            // An ECDSA signature of 64 bytes, different each time, and the tag end the last command
            // of an activation and an answer: CTR mode leaves all before them as it would be.
            commands.append(try await harness.commands().map { String($0.dropLast(2 * 80)) })
        }
        #expect(commands[0].count == 7)
        #expect(Set(commands).count == 1)
    }

    @Test func `the time in a sealed challenge is learned, for its enrollment alone`() async throws
    {
        let harness = try await OneSpanHarness.activated()
        await harness.gateway.say(date: Self.far)
        // The server's clock is an hour ahead of this device's.
        await harness.simulator.configure { [clock = harness.clock] in
            $0.clock = StagedClock(clock, ahead: 3_600)
        }
        let (_, id) = try await harness.login()
        _ = try await harness.authenticator.challenge(id)
        let known = try #require(
            await harness.clock.serverTime.now(
                at: nil, for: id.enrollment, elapsed: harness.clock.elapsed))
        #expect(known.contains(harness.clock.now + 3_600))
        #expect(await self.known(harness, nil) == nil)
        #expect(
            await self.known(harness, Enrollment.ID("another", of: "onespan")) == nil)
    }

    @Test func `what two sealed messages agree on ends a request without a question`() async throws
    {
        let harness = try await OneSpanHarness.activated()
        let (_, opened) = try await harness.login()
        _ = try await harness.authenticator.challenge(opened)
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let push = try await harness.push()
        harness.clock.advance(by: .seconds(400))
        let sent = await harness.sent
        guard case .over(let end)? = try await harness.authenticator.receive(push).first?.kind
        else {
            Issue.record("A trigger and a challenge tell the server's time.")
            return
        }
        #expect(end.reason == .expired)
        #expect(await harness.sent == sent)
    }

    @Test func `a relay that wants to be left alone is, for its provider`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (_, id) = try await harness.login(.none)
        let challenge = try await harness.authenticator.challenge(id)
        var busy = HTTPResponse(status: .serviceUnavailable)
        busy.headerFields[.retryAfter] = "600"
        await harness.faults.next(.reply(busy))
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let sent = await harness.sent
        _ = try await harness.authenticator.resume()
        #expect(await harness.sent == sent)
        harness.clock.advance(by: .seconds(601))
        let outcome = try await harness.authenticator.resume()[id]
        #expect(outcome != nil)
    }
}
