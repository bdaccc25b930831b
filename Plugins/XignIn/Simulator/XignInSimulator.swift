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
public actor XignInSimulator: VendorSimulator {
    /// The vendor's name, for people.
    public nonisolated let name = "XignIn-Manager"

    /// What kind of manager it is now.
    public private(set) var configuration: Configuration

    /// Where it is reached: scheme, host and port.
    public private(set) var origin = "https://manager.xignin.example"

    /// The latest 10,000 exchanges, oldest first.
    public private(set) var exchanges: [RecordedExchange] = []

    /// The keys it holds, oldest first: answers are signed with the first, messages with the last.
    var keys: [ManagerKey]
    var secrets: [String: ActivationSecret] = [:]
    var activations: [String: Activation] = [:]
    /// The identifiers of all activations, in the order they were made.
    var order: [String] = []
    var processes: [String: LoginProcess] = [:]
    var sessions: [String: ServiceSession] = [:]
    var seen = SeenRequests()
    private var forced: [Int] = []
    private var faults: [(call: Call?, fault: BadAnswer)] = []
    private var pushes: [SimulatedPush] = []

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
        guard let endpoint = try? Endpoint(origin),
            origin == "\(endpoint.scheme)://\(endpoint.authority)", origin == origin.lowercased()
        else {
            throw PushError(.invalidArgument, "An origin is scheme, host and port in lower case.")
        }
        self.origin = origin
    }

    /// Replies with a status and without a signature, without looking at the request; the next
    /// call first.
    public func force(status: Int, times: Int = 1) {
        forced.append(contentsOf: repeatElement(status, count: max(times, 0)))
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
            forced.isEmpty
            ? answer(to: request, body)
            : HTTPAnswer(status: forced.removeFirst(), json: ["error": "forced_by_the_simulator"])
        if exchanges.count == 10_000 { exchanges.removeFirst() }
        exchanges.append(
            RecordedExchange(
                request: request, body: body, status: reply.status.code, answer: reply.body))
        return reply.http
    }

    private func answer(to request: HTTPRequest, _ body: Data) -> HTTPAnswer {
        let path = request.path ?? ""
        return path.hasPrefix("/oxrw/")
            ? answerDevice(request, body) : answerService(request, body)
    }

    /// The pushes sent since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] {
        defer { pushes = [] }
        return pushes
    }

    func send(_ sent: [SimulatedPush]) {
        pushes.append(contentsOf: sent)
    }
}

extension XignInSimulator {
    /// One HTTP exchange as the manager saw it: header fields and bodies as they went.
    ///
    /// It may hold push tokens and proofs, so it is for tests and demonstrations.
    public struct RecordedExchange: Sendable {
        /// The request.
        public let request: HTTPRequest

        /// The request's body.
        public let body: Data

        /// The status of the answer.
        public let status: Int

        /// The answer's body.
        public let answer: Data
    }
}
