import LocalServer
import PushTesting

/// Keeps one simulator behind a server, which may go down and come up again at the same place.
actor Host {
    private let wire: LocalServer.Wire
    private let simulator: any VendorSimulator
    private let losses = Losses()
    private var server: LocalServer

    /// Starts the server.
    init(_ simulator: some VendorSimulator, speaking wire: LocalServer.Wire) async throws {
        self.wire = wire
        self.simulator = simulator
        server = try await Self.start(simulator, wire, losses, at: 0)
        try await simulator.move(to: server.origin)
    }

    /// Closes every connection; from now on, nobody can connect.
    func stop() async {
        await server.stop()
    }

    /// Listens again, at the same port.
    func restart() async throws {
        server = try await Self.start(simulator, wire, losses, at: server.port)
    }

    /// How many requests came since it last started to listen.
    var requestCount: Int { server.traffic.http1Requests + server.traffic.http2Requests }

    /// Lets the simulator take the next request, and closes the connection instead of replying.
    ///
    /// - Parameter event: What happens before the connection is closed.
    func loseNextReply(after event: @escaping @Sendable () async -> Void = {}) async {
        await losses.plan(event)
    }

    private static func start(
        _ simulator: any VendorSimulator, _ wire: LocalServer.Wire, _ losses: Losses, at port: Int
    ) async throws -> LocalServer {
        try await LocalServer.start(wire, at: port) { request, body in
            let reply = await simulator.respond(to: request, body: body)
            guard let event = await losses.take() else { return reply }
            await event()
            return nil
        }
    }
}

/// Whether the next reply is lost, and what happens then.
private actor Losses {
    private var event: (@Sendable () async -> Void)?

    func plan(_ event: @escaping @Sendable () async -> Void) {
        self.event = event
    }

    func take() -> (@Sendable () async -> Void)? {
        defer { event = nil }
        return event
    }
}
