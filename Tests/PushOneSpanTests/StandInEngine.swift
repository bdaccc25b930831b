import IndependentEncodings
import PushCore
import PushOneSpan

/// How an adapter for OneSpan's binary looks: an engine that executes commands, and can't tell what
/// one is before that.
///
/// `Binary` stands for the SDK: it speaks in callbacks, knows no URL, and shows one string. Here it
/// is a toy that echoes; with the SDK, each method calls it and waits for the callback.
actor StandInEngine: OrchestrationEngine {
    private let binary = Binary()
    private var texts: [FlowID: String] = [:]
    private var count = 0

    /// What the next fetch brings.
    private var requestID = "request-1"
    private var requestDevice = StandInEngine.deviceID

    /// What was ended.
    private(set) var cancelled: [FlowID] = []
    private var takesInput = true

    func ask(for requestID: String, of device: String = StandInEngine.deviceID) {
        self.requestID = requestID
        requestDevice = device
    }

    func refuseInput() { takesInput = false }

    static let deviceID = String(repeating: "5a", count: 16)

    /// The SDK has no call that looks into a command.
    func inspect(_ command: OrchestrationCommand) async throws(OrchestrationError)
        -> CommandSummary?
    { nil }

    func start(_ intent: WorkflowIntent) async throws(OrchestrationError) -> OrchestrationStep {
        let flow = next()
        switch intent {
        case .activate(let activation):
            texts[flow] = activation.user
            return .authenticate(.password, flow, isEnrollment: true)
        case .registerNotification(_, let identifier):
            texts[flow] = identifier
            return .send(try command(.register, flow), flow)
        default: throw OrchestrationError(.unsupported, "The stand-in can't do it.")
        }
    }

    func consume(_ command: OrchestrationCommand) async throws(OrchestrationError)
        -> OrchestrationStep
    {
        let message = try binary.read(command)
        let flow = message.flow ?? next()
        switch message.verb {
        case .trigger: return .send(try self.command(.fetch, flow), flow, .authentication)
        case .activated(let round) where round < 4:
            return .send(try self.command(.activate(round + 1), flow), flow)
        case .activated:
            return .finished(.activated(deviceID: Self.deviceID, user: texts[flow] ?? ""), flow)
        case .registered:
            return .finished(
                .registered(deviceID: Self.deviceID, identifier: texts[flow] ?? ""), flow)
        case .display(let text):
            let request = OneSpanRequest(
                deviceID: requestDevice, requestID: requestID, content: .text(text),
                method: .none)
            return .display(request, flow)
        case .accepted: return .finished(.answered(accepted: true, authToken: nil), flow)
        case .refused: return .finished(.answered(accepted: false, authToken: nil), flow)
        case .over: return .outdated(.unknown, flow)
        case .activate, .register, .fetch, .answer:
            throw OrchestrationError(.untrusted, "It goes to the server.")
        }
    }

    func provide(
        _ input: WorkflowInput, to flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        guard takesInput else { throw OrchestrationError(.storage, "The stand-in can't store it.") }
        return switch input {
        case .secret: .send(try command(.activate(1), flow), flow)
        case .decision(let approved):
            .send(try command(.answer(approved), flow), flow, .authentication)
        default: throw OrchestrationError(.unsupported, "The stand-in can't do it.")
        }
    }

    func cancel(_ flow: FlowID) async -> Bool {
        cancelled.append(flow)
        return true
    }

    /// The SDK doesn't say that it survives the death of a process, so nothing is taken up.
    func resume(_ deviceID: String) async throws(OrchestrationError) -> OrchestrationStep? { nil }

    func resume(
        _ answer: OrchestrationCommand, of requestID: String
    ) async throws(OrchestrationError) -> OrchestrationStep {
        .send(answer, try binary.read(answer).flow ?? next(), .authentication)
    }

    func forget(_ deviceID: String) async throws(OrchestrationError) {}

    private func next() -> FlowID {
        count += 1
        return FlowID("\(count)")
    }

    private func command(
        _ verb: Binary.Verb, _ flow: FlowID
    ) throws(OrchestrationError) -> OrchestrationCommand {
        try binary.write(Binary.Message(verb: verb, flow: flow))
    }
}

/// What the licensed binary would be: opaque text in, opaque text out.
struct Binary {
    enum Verb: Hashable {
        case activate(Int)
        case activated(Int)
        case register, registered, trigger, fetch
        case display(String)
        case answer(Bool)
        case accepted, refused, over
    }

    struct Message {
        let verb: Verb
        let flow: FlowID?
    }

    func write(_ message: Message) throws(OrchestrationError) -> OrchestrationCommand {
        let (name, value): (String, JSON) =
            switch message.verb {
            case .activate(let round): ("activate", .number(.init(Int64(round))))
            case .activated(let round): ("activated", .number(.init(Int64(round))))
            case .register: ("register", .null)
            case .registered: ("registered", .null)
            case .trigger: ("trigger", .null)
            case .fetch: ("fetch", .null)
            case .display(let text): ("display", .string(text))
            case .answer(let approved): ("answer", .bool(approved))
            case .accepted: ("accepted", .null)
            case .refused: ("refused", .null)
            case .over: ("over", .null)
            }
        let json: JSON = [
            "verb": .string(name), "value": value,
            "flow": message.flow.map { .string($0.value) } ?? .null,
            "padding": "so that a relayed text is long enough to be one",
        ]
        guard let command = try? OrchestrationCommand(hex(json.utf8)) else {
            throw OrchestrationError(.invalidArgument, "The message is too long.")
        }
        return command
    }

    func read(_ command: OrchestrationCommand) throws(OrchestrationError) -> Message {
        let text = String(decoding: bytes(hex: command.hex), as: UTF8.self)
        guard let json = try? JSON(parsing: text) else {
            throw OrchestrationError(.malformed, "Not a command of the stand-in.")
        }
        let value = json["value"]
        let verb: Verb? =
            switch json["verb"]?.string {
            case "activate": .activate(Int(value?.integer ?? 0))
            case "activated": .activated(Int(value?.integer ?? 0))
            case "register": .register
            case "registered": .registered
            case "trigger": .trigger
            case "fetch": .fetch
            case "display": .display(value?.string ?? "")
            case "answer": .answer(value?.bool ?? false)
            case "accepted": .accepted
            case "refused": .refused
            case "over": .over
            default: nil
            }
        guard let verb else {
            throw OrchestrationError(.malformed, "Not a command of the stand-in.")
        }
        return Message(verb: verb, flow: json["flow"]?.string.map { FlowID($0) })
    }
}
