import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Which flows of the engine go on, and which end.
@Suite struct FlowKeepingTests {
    @Test func `asking for a status leaves no flow behind`() async throws {
        let world = try await World.activated()
        let (_, id) = try await world.login()
        let challenge = try await world.authenticator.challenge(id)
        let announcement = try await world.authenticator.announcement(of: id)
        for _ in 0..<3 {
            #expect(try await world.provider.resolver.status(of: announcement, kept: nil) == .open)
        }
        #expect(await world.engine.running.count == 1)
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await world.engine.running.isEmpty)
    }

    @Test func `of many open requests the oldest end in the engine as well`() async throws {
        let world = try await World.activated()
        for _ in 0..<OpenRequests.limit + 8 {
            let (_, id) = try await world.login()
            _ = try await world.authenticator.challenge(id)
        }
        #expect(await world.engine.running.count == OpenRequests.limit)
    }

    @Test func `a request that was displaced is fetched again when it is answered`() async throws {
        let world = try await World.activated()
        let (login, id) = try await world.login()
        let challenge = try await world.authenticator.challenge(id)
        for _ in 0..<OpenRequests.limit {
            let (_, other) = try await world.login()
            _ = try await world.authenticator.challenge(other)
        }
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
    }

    @Test func `a request that is being answered isn't displaced by another user's`() async throws {
        let world = try await World.activated()
        let other = "bob"
        let offers = try world.authenticator.offers(
            for: try await world.simulator.invitation(for: other))
        _ = try await world.authenticator.enroll(try #require(offers.first))
        // The same device, at work while the engine waits for the password.
        let gate = Gate(letsCancelledPass: true)
        let environment = Environment(
            transport: world.transport, store: world.store, verifier: world.user,
            clock: world.clock, device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: GatedEngine(engine: world.engine, gate: gate),
            relay: HTTPCommandRelay(
                try Endpoint("https://app.example.com/commands"), in: environment),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        var policies = Policies()
        policies.brake = .off
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, policies: policies)
        await world.simulator.configure { $0.confirmMethod = .password }
        let open = { (user: String) async throws -> (SimulatedLogin, Challenge) in
            let login = try await world.simulator.startLogin(of: user, asking: .confirm)
            let receptions = try await authenticator.receive(try await world.push())
            let id = try #require(receptions.first?.challenge)
            return (login, try await authenticator.challenge(id))
        }
        let (login, challenge) = try await open(World.name)
        async let outcome = authenticator.resolve(challenge, with: .approve)
        await gate.arrival()
        for _ in 0...OpenRequests.limit { _ = try await open(other) }
        await gate.open()
        #expect(try await outcome == .delivered)
        #expect(try await world.simulator.status(of: login.id) == .approved)
        // The other user's oldest made way instead.
        #expect(await world.engine.running.count == OpenRequests.limit - 1)
    }

    @Test func `an answer on its way isn't displaced by fetches`() async throws {
        let world = try await EngineBench.activated()
        let answer = try await world.approve(try await world.display())
        for _ in 0..<2 * OpenReferenceEngine.flowLimit {
            _ = try await world.engine.consume(world.server.trigger(0x20))
        }
        #expect(await world.engine.running.count == OpenReferenceEngine.flowLimit)
        let step = try await world.engine.consume(world.server.result(of: answer, 2))
        #expect(step.accepted == true)
    }

    @Test func `a change of the password that can't be stored leaves no flow behind`()
        async throws
    {
        let world = try await World.activated()
        let id = try await world.enrollment().id
        await world.store.refuseWrites { _ in PushError(.storage, "Locked.") }
        let error = try await refusal {
            try await world.provider.changePassword(
                of: id, from: Secret(Array("135790".utf8)), to: Secret(Array("246802".utf8)))
        }
        #expect(error.code == .storage)
        #expect(await world.engine.running.isEmpty)
    }
}
