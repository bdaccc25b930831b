import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushOneSpanReference
import PushTesting
import Testing

// snippet: engine
/// Takes the steps that a test wrote down, one for each call, and looks at nothing.
actor ScriptedEngine: OrchestrationEngine {
    private var steps: [OrchestrationStep]

    init(_ steps: OrchestrationStep...) { self.steps = steps }

    private func next() throws(OrchestrationError) -> OrchestrationStep {
        guard !steps.isEmpty else { throw OrchestrationError(.invalidState, "The script is over.") }
        return steps.removeFirst()
    }

    func start(_ intent: WorkflowIntent) async throws(OrchestrationError) -> OrchestrationStep {
        try next()
    }

    func consume(
        _ command: OrchestrationCommand
    ) async throws(OrchestrationError) -> OrchestrationStep { try next() }

    func provide(
        _ input: WorkflowInput, to flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep { try next() }

    func resume(
        _ answer: OrchestrationCommand, of requestID: String
    ) async throws(OrchestrationError) -> OrchestrationStep { try next() }

    func cancel(_ flow: FlowID) async -> Bool { true }

    func forget(_ deviceID: String) async throws(OrchestrationError) {}
}
// end snippet

/// A server that sends each command back.
private struct Echo: OrchestrationCommandRelay {
    func exchange(
        _ command: OrchestrationCommand, correlation: FlowID
    ) async throws(PushError) -> OrchestrationCommand { command }
}

/// The fake that the documentation shows does what its seam promises.
struct EngineFakeTests {
    private let flow = FlowID("1")

    private func authenticator(_ engine: ScriptedEngine) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (.init(status: .notFound), Data()) },
            store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: engine, relay: Echo(),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        return PushAuthenticator(try PluginRegistry([provider]), in: environment)
    }

    private func enroll(_ engine: ScriptedEngine) async throws -> Enrollment {
        let authenticator = try authenticator(engine)
        let invitation = Invitation.credentials(user: "alice", password: Secret("K7M2Q9XD".utf8))
        return try await authenticator.enroll(
            try #require(try authenticator.offers(for: invitation).first))
    }

    @Test func `a scripted engine activates a user`() async throws {
        let enrollment = try await enroll(
            ScriptedEngine(
                .authenticate(.password, flow, isEnrollment: true),
                .send(try OrchestrationCommand("00"), flow),
                .finished(.activated(deviceID: "device-1", user: "alice"), flow)))
        #expect(enrollment.id.name == "device-1")
        #expect(enrollment.account == "alice")
        #expect(enrollment.state == .pending(.deviceToken))
    }

    @Test func `behind its script it refuses, and nothing is on record`() async throws {
        let engine = ScriptedEngine(.authenticate(.password, flow, isEnrollment: true))
        await #expect {
            _ = try await enroll(engine)
        } throws: { ($0 as? PushError)?.oneSpan == .invalidState }
    }
}
