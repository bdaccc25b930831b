public import HTTPTypes
package import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A simulator whose set-up a test changes, whose faults it chooses, and whose traffic it reads.
///
/// The simulators of this package are such actors, so that what drives one drives them all.
public protocol SimulatedService: VendorSimulator, Actor {
    /// How a service is set up.
    associatedtype Configuration: Sendable

    /// How it is set up now.
    var configuration: Configuration { get }

    /// Where it is reached: scheme, host and port.
    var origin: String { get }

    /// The latest exchanges, oldest first.
    var exchanges: [RecordedExchange] { get }

    /// Changes the configuration between two requests.
    func configure(_ change: @Sendable (inout Configuration) -> Void)

    /// Replies with a status, without looking at the request; the next request first.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - times: How many requests get it.
    func force(status: Int, times: Int)
}

/// One HTTP exchange as the server saw it: header fields and bodies as they came and went.
///
/// It may hold keys, device tokens, PINs and signed answers, so it is for tests and demonstrations.
public struct RecordedExchange: Sendable {
    /// The request.
    public let request: HTTPRequest

    /// The request's body.
    public let body: Data

    /// The reply.
    public let response: HTTPResponse

    /// The reply's body.
    public let responseBody: Data

    /// Creates a record.
    public init(
        request: HTTPRequest, body: Data, response: HTTPResponse, responseBody: Data
    ) {
        self.request = request
        self.body = body
        self.response = response
        self.responseBody = responseBody
    }

    /// The status of the reply.
    public var status: Int { response.status.code }
}

/// What each simulator keeps beside its vendor's own state: where it is reached, what came and went,
/// which requests get a reply by force, and which pushes wait to be delivered.
package struct SimulatorShell<Forced: Sendable>: Sendable {
    /// Where it is reached: scheme, host and port.
    package private(set) var origin: String

    /// The latest 10,000 exchanges, oldest first.
    package private(set) var exchanges: [RecordedExchange] = []

    private var forced: [Forced] = []
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

    /// Lets the next requests get a reply, whatever they ask.
    package mutating func force(_ reply: Forced, times: Int) {
        forced.append(contentsOf: repeatElement(reply, count: max(times, 0)))
    }

    /// The reply that a request gets by force; `nil` if it is looked at.
    package mutating func takeForced() -> Forced? {
        forced.isEmpty ? nil : forced.removeFirst()
    }

    /// Keeps an exchange.
    package mutating func record(
        _ request: HTTPRequest, _ body: Data, _ reply: (response: HTTPResponse, body: Data)
    ) {
        if exchanges.count == 10_000 { exchanges.removeFirst() }
        exchanges.append(
            RecordedExchange(
                request: request, body: body, response: reply.response, responseBody: reply.body))
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
