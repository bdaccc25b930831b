import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Changes of the password that a restart finds unanswered.
@Suite struct PasswordChangeTests {
    /// The app after a restart: it got no answer to a change of its user's password.
    private func restarted(
        after fault: FaultPlan.Fault, old: String = ScriptedUser.password
    ) async throws -> World {
        let world = try await World.activated()
        let id = try await world.enrollment().id
        await world.faults.next(fault)
        let error = try await refusal {
            try await world.provider.changePassword(
                of: id, from: OOC.secret(old), to: OOC.secret("246801"))
        }
        #expect(error.code == .interrupted)
        return try World(sharing: world)
    }

    @Test func `a change whose reply was lost is completed, and noted`() async throws {
        let world = try await restarted(after: .dropAfter)
        _ = try await world.authenticator.refresh(try await world.enrollment().id)
        #expect(world.observer.observations.map(\.kind) == [.noticed])
    }

    @Test func `a wrong old password is the server's verdict after a restart, too`() async throws {
        let world = try await restarted(after: .dropBefore, old: "000000")
        let id = try await world.enrollment().id
        let error = try await refusal { _ = try await world.authenticator.refresh(id) }
        #expect(error.oneSpan == .passwordRejected(attemptsLeft: 4))
        #expect(try await world.authenticator.refresh(id).state == .active)
    }

    @Test func `a change that is sealed again asks for the old password, then for a new one`()
        async throws
    {
        let world = try await EngineBench.activated()
        _ = try await world.change()
        let later = try EngineBench(sharing: world)
        let user = ScriptedUser(OOC.pin, "12", "246802")
        let environment = Environment(
            transport: later.environment.transport, store: world.store, verifier: user,
            clock: later.clock, random: later.random,
            device: Device(name: "Test", platform: .apple))
        let provider = OneSpan(
            engine: later.engine, relay: RefusingRelay(world.server),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        try await provider.finishUnanswered(world.enrollment)
        #expect(
            await user.requests.map(\.alternatives) == [[[.pin]], [[.newPIN]], [[.newPIN]]])
        #expect(try await world.record().change == nil)
    }
}

/// A server whose counter is ahead of the first command.
private actor RefusingRelay: OrchestrationCommandRelay {
    private let server: OOCServer
    private var isAhead = true

    init(_ server: OOCServer) { self.server = server }

    func exchange(
        _ command: OrchestrationCommand, correlation: FlowID
    ) async throws(PushError) -> OrchestrationCommand {
        defer { isAhead = false }
        do {
            return isAhead
                ? try server.refuse(command, -1302, payload: "0000000000000064")
                : try server.acknowledge(command)
        } catch {
            throw PushError(.malformed, "Not a command.", underlying: error)
        }
    }
}
