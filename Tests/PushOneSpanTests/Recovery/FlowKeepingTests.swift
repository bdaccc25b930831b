import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Which flows of the engine go on, and which end.
@Suite struct FlowKeepingTests {
    @Test func `asking for a status leaves no flow behind`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (_, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        var announcement = try await harness.authenticator.announcement(of: id)
        let account = try await harness.account()
        for _ in 0..<3 {
            let status = try await harness.provider.resolver.status(
                for: &announcement, of: account, kept: nil)
            #expect(status == .open)
        }
        #expect(await harness.engine.running.count == 1)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await harness.engine.running.isEmpty)
    }

    @Test func `of many open requests the oldest end in the engine as well`() async throws {
        let harness = try await OneSpanHarness.activated()
        for _ in 0..<OpenRequests.limit + 8 {
            let (_, id) = try await harness.login()
            _ = try await harness.authenticator.challenge(id)
        }
        #expect(await harness.engine.running.count == OpenRequests.limit)
    }

    @Test func `a request that was displaced is fetched again when it is answered`() async throws {
        let harness = try await OneSpanHarness.activated()
        let (login, id) = try await harness.login()
        let challenge = try await harness.authenticator.challenge(id)
        for _ in 0..<OpenRequests.limit {
            let (_, other) = try await harness.login()
            _ = try await harness.authenticator.challenge(other)
        }
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
    }

    @Test func `a request that is being answered isn't displaced by another user's`() async throws {
        let harness = try await OneSpanHarness.activated()
        let other = "bob"
        let offers = try harness.authenticator.offers(
            for: try await harness.simulator.invitation(for: other))
        _ = try await harness.authenticator.enroll(try #require(offers.first))
        // The same device, at work while the engine waits for the password.
        let gate = Gate(letsCancelledPass: true)
        let (provider, environment) = try harness.gated(by: gate, over: harness.transport)
        var configuration = PushConfiguration()
        configuration.bursts = .off
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: configuration)
        await harness.simulator.configure { $0.confirmMethod = .password }
        let open = { (user: String) async throws -> (SimulatedLogin, Challenge) in
            let login = try await harness.simulator.startLogin(of: user, asking: .confirm)
            let receptions = try await authenticator.receive(try await harness.push())
            let id = try #require(receptions.first?.challenge)
            return (login, try await authenticator.challenge(id))
        }
        let (login, challenge) = try await open(OneSpanHarness.name)
        async let outcome = authenticator.resolve(challenge, with: .approve)
        await gate.arrival()
        for _ in 0...OpenRequests.limit { _ = try await open(other) }
        await gate.open()
        #expect(try await outcome == .delivered)
        #expect(try await harness.simulator.status(of: login.id) == .approved)
        // The other user's oldest made way instead.
        #expect(await harness.engine.running.count == OpenRequests.limit - 1)
    }

    @Test func `an answer on its way isn't displaced by fetches`() async throws {
        let harness = try await VectorEngine.activated()
        let answer = try await harness.approve(try await harness.display())
        for _ in 0..<2 * OpenReferenceEngine.flowLimit {
            _ = try await harness.engine.consume(harness.server.trigger(0x20))
        }
        #expect(await harness.engine.running.count == OpenReferenceEngine.flowLimit)
        let step = try await harness.engine.consume(harness.server.result(of: answer, 2))
        #expect(step.accepted == true)
    }

    @Test func `a change of the password that can't be stored leaves no flow behind`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let account = WorkflowAccount(try await harness.account())
        await harness.store.refuseWrites { _ in PushError(.storage, "Locked.") }
        let error = try await refusal {
            try await harness.provider.workflows.changePassword(
                of: account, from: Secret(Array("135790".utf8)), to: Secret(Array("246802".utf8)))
        }
        #expect(error.code == .storage)
        #expect(await harness.engine.running.isEmpty)
    }
}
