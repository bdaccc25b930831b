import PushCore
import PushOneSpan
import PushTesting

/// A relay whose every exchange is a moment.
struct DroppingRelay: OrchestrationCommandRelay {
    let relay: any OrchestrationCommandRelay
    let dropper: CacheDropper

    func exchange(
        _ command: OrchestrationCommand, correlation: FlowID
    ) async throws(PushError) -> OrchestrationCommand {
        try await dropper.around { () async throws(PushError) -> OrchestrationCommand in
            try await relay.exchange(command, correlation: correlation)
        }
    }
}

/// An engine whose every call is a moment.
struct DroppingEngine: OrchestrationEngine {
    let engine: any OrchestrationEngine
    let dropper: CacheDropper

    var canInspect: Bool { engine.canInspect }
    var domain: String? { engine.domain }
    var judgesCopiesAlike: Bool { engine.judgesCopiesAlike }

    func flow(of reply: OrchestrationCommand) -> FlowID? { engine.flow(of: reply) }

    func check(_ activation: WorkflowIntent.Activation) throws(OrchestrationError) {
        try engine.check(activation)
    }

    func inspect(
        _ command: OrchestrationCommand
    ) async throws(OrchestrationError) -> CommandSummary? {
        try await dropper.around { () async throws(OrchestrationError) -> CommandSummary? in
            try await engine.inspect(command)
        }
    }

    func start(_ intent: WorkflowIntent) async throws(OrchestrationError) -> OrchestrationStep {
        try await step { () async throws(OrchestrationError) in try await engine.start(intent) }
    }

    func consume(
        _ command: OrchestrationCommand
    ) async throws(OrchestrationError) -> OrchestrationStep {
        try await step { () async throws(OrchestrationError) in try await engine.consume(command) }
    }

    func provide(
        _ input: WorkflowInput, to flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        try await step { () async throws(OrchestrationError) in
            try await engine.provide(input, to: flow)
        }
    }

    func resume(
        _ answer: OrchestrationCommand, of requestID: String
    ) async throws(OrchestrationError) -> OrchestrationStep {
        try await step { () async throws(OrchestrationError) in
            try await engine.resume(answer, of: requestID)
        }
    }

    func resume(_ deviceID: String) async throws(OrchestrationError) -> OrchestrationStep? {
        try await dropper.around { () async throws(OrchestrationError) -> OrchestrationStep? in
            try await engine.resume(deviceID)
        }
    }

    func cancel(_ flow: FlowID) async -> Bool {
        await dropper.pass()
        let isOver = await engine.cancel(flow)
        await dropper.pass()
        return isOver
    }

    func timeLeft(of flow: FlowID) async -> Duration? {
        await dropper.pass()
        let left = await engine.timeLeft(of: flow)
        await dropper.pass()
        return left
    }

    func forget(_ deviceID: String) async throws(OrchestrationError) {
        try await engine.forget(deviceID)
    }

    private func step(
        _ body: () async throws(OrchestrationError) -> OrchestrationStep
    ) async throws(OrchestrationError) -> OrchestrationStep {
        try await dropper.around { () async throws(OrchestrationError) -> OrchestrationStep in
            try await body()
        }
    }
}
