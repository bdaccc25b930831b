package import HTTPTypes
package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A simulator of this package: its vendor's own state and replies, in a shell that all share.
///
/// Each says that it is a ``SimulatedService``, too: programs outside of the package see no more.
package protocol ShelledService: SimulatedService {
    /// What can be wrong with a push.
    associatedtype BadPush: Sendable

    var configuration: Configuration { get set }

    var shell: SimulatorShell { get set }

    /// The vendor's reply, or one by force.
    func reply(to request: SimulatedRequest) async -> SimulatedReply

    /// Starts a login. Its pushes have the fault, while the server side of it is genuine.
    ///
    /// - Throws: `PushError` as ``VendorSimulator/startLogin(of:asking:)``.
    func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) throws(PushError) -> SimulatedLogin
}

extension ShelledService {
    /// Where it is reached: scheme, host and port.
    public var origin: String { shell.origin }

    /// The latest 10,000 exchanges, oldest first.
    public var exchanges: [RecordedExchange] { shell.exchanges }

    /// Changes the configuration between two requests.
    public func configure(_ change: @Sendable (inout Configuration) -> Void) {
        change(&configuration)
    }

    /// Says where the simulator is reached; what it makes from now on leads there.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` for anything but scheme, host and
    ///   port.
    public func move(to origin: String) throws(PushError) { try shell.move(to: origin) }

    /// Answers an HTTP request.
    public func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let request = SimulatedRequest(head: request, body: body)
        let reply = await reply(to: request)
        shell.record(request, reply)
        return (reply.response, reply.body)
    }

    /// The pushes sent since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] { shell.takePushes() }

    /// Starts a login of an enrolled user, and pushes the challenge to the user's devices.
    ///
    /// - Throws: `PushError` as ``VendorSimulator/startLogin(of:asking:)``.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) throws(PushError) -> SimulatedLogin {
        try startLogin(of: user, asking: kind, spoiledBy: nil)
    }
}

/// A request on its way to a simulator.
package struct SimulatedRequest: Sendable {
    /// All but the body.
    package let head: HTTPRequest

    package let body: Data
}

/// A simulator's reply on its way out.
package struct SimulatedReply: Equatable, Sendable {
    /// All but the body.
    package var response: HTTPResponse

    package let body: Data

    package init(response: HTTPResponse, body: Data) {
        self.response = response
        self.body = body
    }

    /// Creates a reply whose body has a `Content-Type`.
    package init(status: HTTPResponse.Status, type: String, body: Data) {
        self.init(
            response: HTTPResponse(status: status, headerFields: [.contentType: type]), body: body)
    }
}

extension SimulatedReply {
    /// Its status code.
    package var status: Int { response.status.code }

    /// Its header fields.
    package var headers: HTTPFields { response.headerFields }

    /// Its body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Its body as JSON of up to a mebibyte.
    package var json: JSON? { try? JSON(parsing: body, limits: JSON.Limits(bytes: 1 << 20)) }
}

extension VendorSimulator {
    /// What it says to a request, as a test reads it.
    package func answer(to request: HTTPRequest, _ body: Data = Data()) async -> SimulatedReply {
        let (response, body) = await respond(to: request, body: body)
        return SimulatedReply(response: response, body: body)
    }
}

/// What each simulator keeps beside its vendor's own state: where it is reached, what came and
/// went, and which pushes wait to be delivered.
package struct SimulatorShell: Sendable {
    /// Where it is reached: scheme, host and port.
    package private(set) var origin: String

    /// The latest 10,000 exchanges, oldest first.
    package private(set) var exchanges: [RecordedExchange] = []

    private var pushes: [SimulatedPush] = []

    /// Creates the shell of a simulator that is reached at an origin.
    package init(at origin: String) {
        self.origin = origin
    }

    /// Says where the simulator is reached.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` for anything but scheme, host and
    ///   port.
    package mutating func move(to origin: String) throws(PushError) {
        guard let endpoint = try? Endpoint(origin),
            origin == "\(endpoint.scheme)://\(endpoint.authority)"
        else {
            throw PushError(.invalidArgument, "An origin is scheme, host and port.")
        }
        self.origin = origin
    }

    /// Keeps an exchange.
    fileprivate mutating func record(_ request: SimulatedRequest, _ reply: SimulatedReply) {
        if exchanges.count == 10_000 { exchanges.removeFirst() }
        exchanges.append(
            RecordedExchange(
                request: request.head, body: request.body, response: reply.response,
                responseBody: reply.body))
    }

    /// Sends pushes.
    package mutating func send(_ sent: some Sequence<SimulatedPush>) {
        pushes.append(contentsOf: sent)
    }

    /// The pushes sent since the last call, oldest first.
    package mutating func takePushes() -> [SimulatedPush] {
        defer { pushes = [] }
        return pushes
    }
}

/// What goes wrong with the next requests or answers, in the order that a test asked for it.
package struct FaultQueue<Fault> {
    private var faults: [Fault] = []

    package init() {}

    package mutating func add(_ fault: Fault, times: Int) {
        faults.append(contentsOf: repeatElement(fault, count: max(times, 0)))
    }

    /// Takes the first that applies; `nil` if none does.
    package mutating func take(where applies: (Fault) -> Bool = { _ in true }) -> Fault? {
        faults.firstIndex(where: applies).map { faults.remove(at: $0) }
    }
}
