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
    ) async throws -> OneSpanHarness {
        let harness = try await OneSpanHarness.activated()
        let account = WorkflowAccount(try await harness.account())
        await harness.faults.next(fault)
        let error = try await refusal {
            try await harness.provider.workflows.changePassword(
                of: account, from: OOC.secret(old), to: OOC.secret("246801"))
        }
        #expect(error.code == .interrupted)
        return try OneSpanHarness(sharing: harness)
    }

    @Test func `a change whose reply was lost is completed, and noted`() async throws {
        let harness = try await restarted(after: .dropAfter)
        _ = try await harness.authenticator.refresh(try await harness.enrollment().id)
        #expect(harness.observer.observations.map(\.kind) == [.noticed])
    }

    @Test func `a wrong old password is the server's verdict after a restart, too`() async throws {
        let harness = try await restarted(after: .dropBefore, old: "000000")
        let id = try await harness.enrollment().id
        let error = try await refusal { _ = try await harness.authenticator.refresh(id) }
        #expect(error.oneSpan == .passwordRejected(attemptsLeft: 4))
        #expect(try await harness.authenticator.refresh(id).state == .active)
    }

    @Test func `a change that is sealed again asks for the old password, then for a new one`()
        async throws
    {
        let harness = try await VectorEngine.activated()
        _ = try await harness.change()
        let later = try VectorEngine(sharing: harness)
        let user = ScriptedUser(OOC.pin, "12", "246802")
        let environment = PushEnvironment(
            transport: later.environment.transport, store: harness.store, verifier: user,
            clock: later.clock, random: later.random,
            device: Device(name: "Test", platform: .apple))
        let provider = OneSpan(
            engine: later.engine, relay: RefusingRelay(harness.server),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        let account = try await provider.accounts.existing(harness.enrollment)
        try await provider.workflows.finishUnanswered(WorkflowAccount(account))
        #expect(
            await user.requests.map(\.alternatives) == [[[.pin]], [[.newPIN]], [[.newPIN]]])
        #expect(try await harness.record().change == nil)
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
