import PushCore
import PushOneSpan
import PushOneSpanReference
import PushTesting

/// The reference engine, with a pause before it takes a password: nothing of the flow is worked on
/// in the engine meanwhile.
struct GatedEngine: OrchestrationEngine {
    let engine: OpenReferenceEngine
    let gate: Gate

    var canInspect: Bool { engine.canInspect }
    var domain: String? { engine.domain }

    func flow(of reply: OrchestrationCommand) -> FlowID? { engine.flow(of: reply) }

    func inspect(
        _ command: OrchestrationCommand
    ) async throws(OrchestrationError) -> CommandSummary? {
        try await engine.inspect(command)
    }

    func start(_ intent: WorkflowIntent) async throws(OrchestrationError) -> OrchestrationStep {
        try await engine.start(intent)
    }

    func consume(_ command: OrchestrationCommand) async throws(OrchestrationError)
        -> OrchestrationStep
    {
        try await engine.consume(command)
    }

    func provide(
        _ input: WorkflowInput, to flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        if case .secret = input { await gate.pass() }
        return try await engine.provide(input, to: flow)
    }

    func cancel(_ flow: FlowID) async -> Bool { await engine.cancel(flow) }

    func resume(_ deviceID: String) async throws(OrchestrationError) -> OrchestrationStep? {
        try await engine.resume(deviceID)
    }

    func resume(
        _ answer: OrchestrationCommand, of requestID: String
    ) async throws(OrchestrationError) -> OrchestrationStep {
        try await engine.resume(answer, of: requestID)
    }

    func timeLeft(of flow: FlowID) async -> Duration? { await engine.timeLeft(of: flow) }

    func forget(_ deviceID: String) async throws(OrchestrationError) {
        try await engine.forget(deviceID)
    }
}

extension OneSpanHarness {
    /// The same device, whose engine waits at a gate before it takes a password.
    func gated(
        by gate: Gate, over network: any Transport
    ) throws -> (provider: OneSpan, environment: PushEnvironment) {
        let environment = PushEnvironment(
            transport: network, store: store, verifier: user, clock: clock,
            device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: GatedEngine(engine: engine, gate: gate),
            relay: HTTPCommandRelay(
                try Endpoint("https://app.example.com/commands"), in: environment),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        return (provider, environment)
    }
}
