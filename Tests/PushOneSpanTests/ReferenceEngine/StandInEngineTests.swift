import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushOneSpanReference
import PushTesting
import Testing

/// An engine that can't inspect commands, behind a relay that the app wrote.
@Suite struct StandInEngineTests {
    private func app(
        _ engine: StandInEngine = StandInEngine(), _ relay: StandInRelay = StandInRelay(),
        _ store: InMemoryStore = InMemoryStore()
    ) throws -> (OneSpan, PushAuthenticator, StandInRelay) {
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (.init(status: .notFound), Data()) },
            store: store, verifier: ScriptedUser(),
            clock: ManualClock(Date(timeIntervalSince1970: 1_767_225_000)),
            random: SeededRandom(seed: 1), device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: engine, relay: relay,
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        return (
            provider, PushAuthenticator(try PluginRegistry([provider]), in: environment), relay
        )
    }

    private func activate(_ authenticator: PushAuthenticator) async throws -> Enrollment {
        try await authenticator.deviceTokenChanged(OneSpanHarness.token)
        let invitation = Invitation.credentials(user: "alice", password: Secret([0x41]))
        return try await authenticator.enroll(
            try #require(try authenticator.offers(for: invitation).first))
    }

    @Test func `an engine that keeps its own keys is activated and registered`() async throws {
        let (_, authenticator, relay) = try app()
        let enrollment = try await activate(authenticator)
        #expect(enrollment.state == .active)
        #expect(enrollment.id.name == StandInEngine.deviceID)
        #expect(
            await relay.sent == [.activate(1), .activate(2), .activate(3), .activate(4), .register])
    }

    /// The challenge of a request whose command was scanned.
    private func scanned(
        _ trigger: OrchestrationCommand, _ authenticator: PushAuthenticator
    ) async throws -> Challenge.ID {
        let message = PushMessage(text: trigger.hex, by: .scanned)
        return try #require(await authenticator.receive(message).first?.challenge)
    }

    @Test func `an activation has four commands, and no server asks for a fifth`() async throws {
        let engine = StandInEngine()
        let (_, authenticator, relay) = try app(engine)
        await relay.answer(by: try Binary().write(.init(verb: .activated(1), flow: FlowID("1"))))
        let error = try await refusal { _ = try await activate(authenticator) }
        #expect(error.code == .untrusted)
        #expect(await relay.sent == [.activate(1), .activate(2), .activate(2), .activate(2)])
        #expect(await engine.cancelled == [FlowID("1")])
        #expect(try await authenticator.enrollments().isEmpty)
    }

    @Test func `the end of another workflow is no reply to an answer`() async throws {
        let (_, authenticator, relay) = try app()
        _ = try await activate(authenticator)
        let trigger = try Binary().write(.init(verb: .trigger, flow: nil))
        let id = try await scanned(trigger, authenticator)
        let challenge = try await authenticator.challenge(id)
        // The third flow, after those of the activation and the registration.
        await relay.answer(by: try Binary().write(.init(verb: .registered, flow: FlowID("3"))))
        guard case .unknown = try await authenticator.resolve(challenge, with: .deny(.fraud)) else {
            Issue.record("The relay brought the end of a registration.")
            return
        }
        #expect(await relay.sent.last == .answer(false))
        #expect(try await authenticator.record(of: id)?.state == .decided(.deny(.fraud)))
        await relay.answer(by: nil)
        #expect(try await authenticator.resume() == [id: .delivered])
    }

    @Test func `an activation that can't go on leaves no flow behind`() async throws {
        let engine = StandInEngine()
        let (_, authenticator, relay) = try app(engine)
        await engine.refuseInput()
        let error = try await refusal { _ = try await activate(authenticator) }
        #expect(error.code == .storage)
        #expect(await engine.cancelled == [FlowID("1")])
        #expect(await relay.sent.isEmpty)
    }

    @Test func `what is fetched must be the request that was announced`() async throws {
        let engine = StandInEngine()
        let (provider, authenticator, relay) = try app(engine)
        _ = try await activate(authenticator)
        let trigger = try Binary().write(.init(verb: .trigger, flow: nil))
        let id = try await scanned(trigger, authenticator)
        var announcement = try await authenticator.announcement(of: id)
        let account = try await provider.accounts.existing(id.enrollment)
        let status = { () async throws(PushError) in
            try await provider.resolver.status(for: &announcement, of: account, kept: nil)
        }
        #expect(try await status() == .open)
        await engine.ask(for: "request-2")
        let error = try await refusal { _ = try await status() }
        #expect(error.oneSpan == .unexpectedCommand)
        #expect(await relay.sent.last == .fetch)
        #expect(await engine.cancelled.count == 2)
    }

    @Test func `another device's request in place of the announced one closes nothing`()
        async throws
    {
        let engine = StandInEngine()
        let store = InMemoryStore()
        let (_, authenticator, relay) = try app(engine, StandInRelay(), store)
        _ = try await activate(authenticator)
        let trigger = try Binary().write(.init(verb: .trigger, flow: nil))
        let id = try await scanned(trigger, authenticator)
        // A later process fetches it again.
        let (_, later, _) = try app(engine, relay, store)
        await engine.ask(for: "request-1", of: "another")
        let error = try await refusal { _ = try await later.challenge(id) }
        #expect(error.code == .untrusted)
        #expect(error.oneSpan == .commandNotForThisDevice)
        #expect(try await later.record(of: id)?.state == .open)
    }

    @Test func `a reply that starts another flow is no reply`() async throws {
        let (_, authenticator, relay) = try app()
        _ = try await activate(authenticator)
        let trigger = try Binary().write(.init(verb: .trigger, flow: nil))
        let id = try await scanned(trigger, authenticator)
        let challenge = try await authenticator.challenge(id)
        await relay.answer(by: trigger)
        guard
            case .unknown = try await authenticator.resolve(challenge, with: .deny(.fraud))
        else {
            Issue.record("The relay brought a request, not a reply.")
            return
        }
        #expect(try await authenticator.record(of: id)?.state == .decided(.deny(.fraud)))
        #expect(await relay.sent.last == .answer(false))
        await relay.answer(by: nil)
        #expect(try await authenticator.resume() == [id: .delivered])
    }

    @Test(arguments: [true, false])
    func `a command that can't be inspected is a hint, and what it leads to is fetched`(
        approves: Bool
    ) async throws {
        let (provider, authenticator, relay) = try app()
        _ = try await activate(authenticator)
        let trigger = try Binary().write(.init(verb: .trigger, flow: nil))
        let message = PushMessage(text: trigger.hex, by: .scanned)
        guard
            case .hint = try await provider.candidate(in: message)?.verified(
                with: provider.accounts)
        else {
            Issue.record("Nothing is proved before the engine has executed it.")
            return
        }
        let reception = try #require(await authenticator.receive(message).first)
        guard case .notice(let notice, _) = reception.kind else {
            Issue.record("The fetched request waits for the user.")
            return
        }
        #expect(notice.proof == .fetched)
        let challenge = try await authenticator.challenge(notice.id)
        #expect(challenge.fields.map(\.value) == ["alice#example.com"])
        let outcome = try await authenticator.resolve(
            challenge, with: approves ? .approve : .deny(.unexpected))
        #expect(outcome == .delivered)
        // Fetched once, although it was received and opened.
        #expect(await relay.sent.suffix(2) == [.fetch, .answer(approves)])
        #expect(await relay.sent.count == 7)
        #expect(try await authenticator.receive(message).allSatisfy { !$0.isNew })
    }
}
