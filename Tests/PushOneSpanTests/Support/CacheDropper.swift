import Foundation
import HTTPTypes
import PushCore

@testable import PushOneSpan

/// Drops what a plugin keeps in memory, before and after calls out of it.
actor CacheDropper {
    /// When it drops.
    enum Moment: Sendable {
        case never
        case always
        /// At one moment, counted from 0.
        case once(Int)
    }

    private let moment: Moment
    private var provider: OneSpan?

    /// How many moments there were since it watches.
    private(set) var moments = 0

    init(_ moment: Moment) { self.moment = moment }

    func watch(_ provider: OneSpan) { self.provider = provider }

    /// A moment.
    func pass() async {
        guard let provider else { return }
        let now = moments
        moments += 1
        switch moment {
        case .never: return
        case .once(let chosen): if chosen != now { return }
        case .always: break
        }
        await provider.dropCaches()
    }

    /// Makes a call, between two moments.
    nonisolated func around<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await pass()
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await pass()
        return try result.get()
    }
}

/// A store whose every call is a moment.
struct DroppingStore: CredentialStore {
    let store: any CredentialStore
    let dropper: CacheDropper

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        await dropper.pass()
        let found = try await store.read(key)
        await dropper.pass()
        return found
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        try await dropper.around { () async throws(PushError) -> Revision? in
            try await store.write(value, for: key, replacing: revision)
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await dropper.around { () async throws(PushError) -> Void in
            try await store.discard(key)
        }
    }

    func names(in collection: String) async throws(PushError) -> [String] {
        try await dropper.around { () async throws(PushError) -> [String] in
            try await store.names(in: collection)
        }
    }
}

/// A network whose every exchange is a moment.
struct DroppingTransport: Transport {
    let transport: any Transport
    let dropper: CacheDropper

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        await dropper.pass()
        do throws(PushError) {
            let reply = try await transport.send(request, body: body)
            await dropper.pass()
            return reply
        } catch {
            await dropper.pass()
            throw error
        }
    }
}

/// A relay whose every exchange is a moment.
struct DroppingRelay: OrchestrationCommandRelay {
    let relay: any OrchestrationCommandRelay
    let dropper: CacheDropper

    func exchange(
        _ command: OrchestrationCommand, correlation: FlowID
    ) async throws(PushError) -> RelayReply {
        try await dropper.around { () async throws(PushError) -> RelayReply in
            try await relay.exchange(command, correlation: correlation)
        }
    }
}

/// A user each of whose answers is a moment.
struct DroppingUser: UserVerifier {
    let user: any UserVerifier
    let dropper: CacheDropper

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        try await dropper.around { () async throws(PushError) -> [Evidence] in
            try await user.verify(request)
        }
    }
}

/// An engine whose every call is a moment.
struct DroppingEngine: OrchestrationEngine {
    let engine: any OrchestrationEngine
    let dropper: CacheDropper

    var formatName: String { engine.formatName }
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
