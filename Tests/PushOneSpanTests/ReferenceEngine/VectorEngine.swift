import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// The engine alone, without an app or a server around it; its device is the vectors'.
struct VectorEngine {
    let vectors: Vectors
    let server: OOCServer
    let store: InMemoryStore
    let clock = ManualClock(OOC.issued)
    let random = PlannedRandom()
    let environment: PushEnvironment
    let engine: OpenReferenceEngine

    init(iterations: Int = 2, sharing other: VectorEngine? = nil) throws {
        vectors = try Vectors()
        server = try OOCServer(vectors)
        store = other?.store ?? InMemoryStore()
        environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (.init(status: .notFound), Data()) },
            store: store, verifier: ScriptedVerifier.willing(), clock: clock, random: random,
            device: Device(name: "Test", platform: .apple))
        engine = OpenReferenceEngine(
            try OpenReferenceEngine.Configuration(
                domain: OOC.domain, serverKeys: [Data(vectors("S.pub"))],
                pbkdf2Iterations: iterations, hasBiometry: true),
            in: environment)
    }

    var enrollment: Enrollment.ID { Enrollment.ID(OOC.deviceName, of: "onespan") }
    var accounts: Accounts { environment.accounts(for: "onespan") }

    func record() async throws -> DeviceRecord { try await engine.device(OOC.deviceName).record }

    func command(_ name: String) throws -> OrchestrationCommand {
        try OrchestrationCommand(vectors.text(name))
    }

    func consume(_ name: String) async throws -> OrchestrationStep {
        try await engine.consume(command(name))
    }

    /// Starts the activation of the vectors, up to the question for a password.
    func start() async throws -> FlowID {
        random.add(OOC.run(0x10))
        var activation = WorkflowIntent.Activation(
            user: OOC.user, password: OOC.secret(OOC.password))
        activation.host = "tid"
        let step = try await engine.start(.activate(activation))
        return try step.authentication(.password, isEnrollment: true)
    }

    /// Chooses the password, and gives the first command.
    func hello(_ flow: FlowID) async throws -> OrchestrationCommand {
        random.add(
            OOC.sha("instance 0"), OOC.sha("instance 1"), OOC.sha("instance 2"),
            OOC.scalar("device signing"), OOC.run(0), OOC.scalar("device ephemeral"),
            OOC.sha("client nonce"))
        return try await engine.provide(.secret(OOC.secret(OOC.pin)), to: flow).sent
    }

    /// Activates the device of the vectors, but for the last reply; gives the last command.
    @discardableResult
    func finalize() async throws -> OrchestrationCommand {
        _ = try await hello(try await start())
        for reply in ["S1", "S2"] { _ = try await consume(reply) }
        random.add(OOC.scalar("ephemeral 07"))
        return try await consume("06").sent
    }

    /// A harness whose device is activated and registered, at counter 5.
    static func activated(iterations: Int = 2) async throws -> VectorEngine {
        let harness = try VectorEngine(iterations: iterations)
        try await harness.finalize()
        _ = try await harness.consume("08")
        _ = try await harness.register()
        _ = try await harness.consume("11")
        return harness
    }

    func register() async throws -> OrchestrationCommand {
        random.add(OOC.run(0x30))
        return try await engine.start(
            .registerNotification(deviceID: OOC.deviceName, identifier: OOC.identifier)
        ).sent
    }

    /// Executes a trigger, and displays what its fetch brings.
    func display(
        _ type: UInt8 = 0x30, method: UInt8 = 1, text: String = "Pay?"
    ) async throws -> FlowID {
        let fetch = try await engine.consume(server.trigger(type)).sent
        let step = try await engine.consume(
            server.challenge(for: fetch, method: method, text: text))
        guard case .display(_, let flow) = step else { throw OOCUnexpected(step: step) }
        return flow
    }

    /// Approves what is displayed with the PIN; gives the answer.
    func approve(_ flow: FlowID, pin: String = OOC.pin) async throws -> OrchestrationCommand {
        _ = try await engine.provide(.decision(approved: true), to: flow)
        return try await engine.provide(.secret(OOC.secret(pin)), to: flow).sent
    }

    /// Asks for another password; gives the command that proves the old one.
    func change(
        old: String = OOC.pin, new: String = "246802"
    ) async throws -> (command: OrchestrationCommand, flow: FlowID) {
        let flow = try await engine.start(.changePassword(deviceID: OOC.deviceName))
            .authentication(.password)
        let next = try await engine.provide(.secret(OOC.secret(old)), to: flow)
        #expect(try next.authentication(.password, isEnrollment: true) == flow)
        return (try await engine.provide(.secret(OOC.secret(new)), to: flow).sent, flow)
    }
}

/// A step that a test didn't expect.
struct OOCUnexpected: Error {
    let step: OrchestrationStep
}

extension OrchestrationStep {
    /// The command to send.
    var sent: OrchestrationCommand {
        get throws {
            guard case .send(let command, _, _) = self else { throw OOCUnexpected(step: self) }
            return command
        }
    }

    func authentication(
        _ method: AuthenticationMethod, isEnrollment: Bool = false
    ) throws -> FlowID {
        guard case .authenticate(let asked, let flow, let isChoosing) = self else {
            throw OOCUnexpected(step: self)
        }
        #expect(asked == method && isChoosing == isEnrollment)
        return flow
    }

    var serverError: ServerError? {
        if case .serverError(let error, _) = self { error } else { nil }
    }

    var outdated: SessionOutdatedReason? {
        if case .outdated(let reason, _) = self { reason } else { nil }
    }

    var accepted: Bool? {
        if case .finished(.answered(let accepted, _), _) = self { accepted } else { nil }
    }

    /// What is wrong with an input, and whether the flow waits for another one.
    struct Rejection: Equatable {
        let problem: InputProblem
        let mayRetry: Bool

        init(_ problem: InputProblem, mayRetry: Bool) {
            self.problem = problem
            self.mayRetry = mayRetry
        }
    }

    var problem: Rejection? {
        guard case .inputRejected(let problem, _, let mayRetry) = self else { return nil }
        return Rejection(problem, mayRetry: mayRetry)
    }
}

extension OOC {
    /// What lies beneath the error that a call throws; `nil` if it throws none.
    static func problem(_ body: () async throws -> Void) async -> OneSpanError? {
        do { try await body() } catch {
            switch error {
            case let error as OrchestrationError: return error.oneSpan
            case let error as PushError: return error.oneSpan
            default: return nil
            }
        }
        return nil
    }
}
