public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A network in memory: every request goes to one server, unless a plan says otherwise.
public actor SimulatedTransport: Transport {
    /// A server's side of one exchange.
    public typealias Server =
        @Sendable (HTTPRequest, Data) async -> (response: HTTPResponse, body: Data)

    private let server: Server
    private let faults: FaultPlan
    private let delay: @Sendable (Duration) async -> Void

    /// What the server processed, oldest first.
    public private(set) var exchanges: [RecordedExchange] = []

    /// Creates a network.
    ///
    /// - Parameters:
    ///   - faults: What goes wrong.
    ///   - delay: How time passes where a reply is late; give a ``ManualClock``'s for tests that
    ///     don't wait.
    ///   - server: The server's side.
    public init(
        faults: FaultPlan = FaultPlan(),
        delay: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        server: @escaping Server
    ) {
        self.server = server
        self.faults = faults
        self.delay = delay
    }

    /// Creates a network whose one server is a simulator.
    public init(to simulator: some VendorSimulator, faults: FaultPlan = FaultPlan()) {
        self.init(faults: faults) { await simulator.respond(to: $0, body: $1) }
    }

    /// Creates a network of several simulators.
    ///
    /// - Parameters:
    ///   - hosts: Which simulator is at which host, such as `bank.example.com`, with its port if it isn't
    ///     the usual one. Another host replies with status 421.
    ///   - faults: What goes wrong.
    public init(toHosts hosts: [String: any VendorSimulator], faults: FaultPlan = FaultPlan()) {
        self.init(faults: faults) { request, body in
            guard let simulator = hosts[request.authority ?? ""] else {
                return (HTTPResponse(status: .misdirectedRequest), Data())
            }
            return await simulator.respond(to: request, body: body)
        }
    }

    /// Sends a request and returns the reply, unless the plan says otherwise.
    ///
    /// - Throws: `PushError` with the code `unreachable` or `interrupted` if the plan loses the
    ///   request or the reply, `cancelled` if the task was cancelled before anything was sent.
    public func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        guard !Task.isCancelled else {
            throw PushError(.cancelled, "Cancelled before anything was sent.")
        }
        let faults = await faults.take(for: request)
        if faults.contains(.refuse) {
            throw PushError(.unreachable, "The simulated server refuses connections.")
        }
        if faults.contains(.dropBefore) { throw interrupted }
        for case .status(let code) in faults {
            return (HTTPResponse(status: .init(code: min(max(code, 100), 599))), Data())
        }
        for case .reply(let response) in faults { return (response, Data()) }
        if faults.contains(.duplicate) { _ = await process(request, body) }
        var reply = await process(request, body)
        if faults.contains(.dropAfter) { throw interrupted }
        for fault in faults { reply.body = await apply(fault, to: reply.body) }
        guard !Task.isCancelled else { throw interrupted }
        return reply
    }

    private var interrupted: PushError {
        PushError(.interrupted, "The simulated connection broke.")
    }

    private func process(
        _ request: HTTPRequest, _ body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let reply = await server(request, body)
        exchanges.append(
            RecordedExchange(
                request: request, body: body, response: reply.response, responseBody: reply.body))
        return reply
    }

    private func apply(_ fault: FaultPlan.Fault, to body: Data) async -> Data {
        switch fault {
        case .delay(let duration):
            await delay(duration)
        case .truncate(let count):
            return Data(body.prefix(max(count, 0)))
        case .corrupt(let bit) where !body.isEmpty:
            var bytes = Array(body)
            let position = Int(bit.magnitude % UInt(bytes.count * 8))
            bytes[position / 8] ^= 0x80 >> UInt8(position % 8)
            return Data(bytes)
        case .refuse, .dropBefore, .dropAfter, .duplicate, .status, .reply, .corrupt: break
        }
        return body
    }
}
