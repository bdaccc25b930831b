public import HTTPTypes
public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A XignIn-Manager that speaks OXRW/1, in process: its channel to devices, its pushes, and the
/// calls of a relying party.
///
/// OXRW/1 is this project's open reference format; XignSys's own isn't published. The simulator
/// checks whatever the format lets a manager check, in the order it says, and signs every answer
/// that may be signed. It never waits: all time comes from its clock. It's written from the
/// format's description alone and shares no code with the plugin but the reading and writing of
/// tokens, so that a mistake about the format can't hide in both.
///
/// Several managers can live beside one another; each has an identifier and keys of its own.
public actor XignInSimulator: SimulatedService {
    /// The vendor's name, for people.
    public nonisolated let name = "XignIn"

    /// What kind of manager it is now.
    public private(set) var configuration: Configuration

    /// Where it is reached: scheme, host and port.
    public var origin: String { shell.origin }

    /// The latest 10,000 exchanges, oldest first.
    public var exchanges: [RecordedExchange] { shell.exchanges }

    /// The keys it holds, oldest first: answers are signed with the first, messages with the last.
    var keys: [ManagerKey]
    var secrets: [String: ActivationSecret] = [:]
    var activations: [String: Activation] = [:]
    /// The identifiers of all activations, in the order they were made.
    var order: [String] = []
    var processes: [String: LoginProcess] = [:]
    var sessions: [String: ServiceSession] = [:]
    var seen = SeenRequests()
    private var shell = SimulatorShell<Int>(at: "https://manager.xignin.example")
    private var faults: [(call: Call?, fault: BadAnswer)] = []

    /// Creates a manager without accounts.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        keys = [
            configuration.signingKey.map { ManagerKey($0) }
                ?? ManagerKey(from: configuration.random)
        ]
    }

    /// Changes the configuration. Processes that were started keep what they were started with.
    public func configure(_ change: @Sendable (inout Configuration) -> Void) {
        change(&configuration)
    }

    /// Says where the simulator is reached; invitations made from now on lead there.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` for anything but scheme, host and
    ///   port, in lower case.
    public func move(to origin: String) throws(PushError) {
        guard origin == origin.lowercased() else {
            throw PushError(.invalidArgument, "An origin is scheme, host and port in lower case.")
        }
        try shell.move(to: origin)
    }

    /// Replies with a status and without a signature, without looking at the request; the next
    /// call first.
    public func force(status: Int, times: Int = 1) {
        shell.force(status, times: times)
    }

    /// Spoils the next answers.
    ///
    /// - Parameters:
    ///   - fault: What becomes of an answer.
    ///   - call: The call whose answers are spoiled; any if `nil`.
    ///   - times: How many answers.
    public func spoil(by fault: BadAnswer, at call: Call? = nil, times: Int = 1) {
        faults.append(contentsOf: repeatElement((call: call, fault: fault), count: max(times, 0)))
    }

    func takeFault(at call: Call) -> BadAnswer? {
        guard let index = faults.firstIndex(where: { $0.call == nil || $0.call == call }) else {
            return nil
        }
        return faults.remove(at: index).fault
    }

    /// Answers an HTTP request.
    public func respond(
        to request: HTTPRequest, body: Data
    ) -> (response: HTTPResponse, body: Data) {
        let reply =
            shell.takeForced().map {
                ServerReply(status: $0, json: ["error": "forced_by_the_simulator"])
            } ?? answer(to: request, body)
        let http = reply.http
        shell.record(request, body, http)
        return http
    }

    private func answer(to request: HTTPRequest, _ body: Data) -> ServerReply {
        let path = request.path ?? ""
        return path.hasPrefix("/oxrw/")
            ? answerDevice(request, body) : answerService(request, body)
    }

    /// The pushes sent since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] {
        shell.takePushes()
    }

    func send(_ sent: [SimulatedPush]) {
        shell.send(sent)
    }
}
