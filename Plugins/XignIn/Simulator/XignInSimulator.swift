import HTTPTypes
public import PushCore
public import PushTesting

/// A XignIn-Manager that speaks OXRW/1, in process: its channel to devices, its pushes, and the
/// calls of a relying party.
///
/// OXRW/1 is this project's open reference format; XignSys's own isn't published. The simulator
/// checks whatever the format lets a manager check, in the order it says, and signs every answer
/// that may be signed. It never waits: all time comes from its clock. It's written from the
/// format's description alone and shares no code with the plugin but the reading and writing of
/// JSON and tokens, so that a mistake about the format can't hide in both.
///
/// Several managers can live beside one another; each has an identifier and keys of its own.
public actor XignInSimulator: SimulatedService, ShelledService {
    /// The vendor's name, for people.
    public nonisolated let name = "XignIn"

    /// What kind of manager it is now. Processes keep what they were started with.
    public package(set) var configuration: Configuration

    /// The keys it holds, oldest first: answers are signed with the first, messages with the last.
    var keys: [ManagerKey]
    var secrets: [String: ActivationSecret] = [:]
    var activations: [String: Activation] = [:]
    /// The identifiers of all activations, in the order they were made.
    var order: [String] = []
    var processes: [String: LoginProcess] = [:]
    var sessions: [String: ServiceSession] = [:]
    var seen = SeenRequests()
    package var shell = SimulatorShell(at: "https://manager.xignin.example")
    private var forced = FaultQueue<Int>()
    private var faults = FaultQueue<(call: Call?, fault: BadAnswer)>()

    /// Creates a manager without accounts.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        keys = [
            configuration.signingKey.map { ManagerKey($0) }
                ?? ManagerKey(from: configuration.random)
        ]
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
        forced.add(status, times: times)
    }

    /// Spoils the next answers.
    ///
    /// - Parameters:
    ///   - fault: What becomes of an answer.
    ///   - call: The call whose answers are spoiled; any if `nil`.
    ///   - times: How many answers.
    public func spoil(by fault: BadAnswer, at call: Call? = nil, times: Int = 1) {
        faults.add((call: call, fault: fault), times: times)
    }

    func takeFault(at call: Call) -> BadAnswer? {
        faults.take { $0.call == nil || $0.call == call }?.fault
    }

    package func reply(to request: SimulatedRequest) -> SimulatedReply {
        let reply =
            forced.take().map {
                ServerReply(status: $0, json: ["error": "forced_by_the_simulator"])
            } ?? answer(request)
        return reply.http
    }

    private func answer(_ request: SimulatedRequest) -> ServerReply {
        let path = request.head.path ?? ""
        return path.hasPrefix("/oxrw/")
            ? answerDevice(request.head, request.body) : answerService(request.head, request.body)
    }
}
