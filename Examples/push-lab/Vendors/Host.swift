import LocalServer
import PushTesting

/// Keeps one simulator behind a server, which may go down and come up again at the same place.
actor Host {
    private let wire: LocalServer.Wire
    private let simulator: any VendorSimulator
    private var server: LocalServer

    /// Starts the server.
    init(_ simulator: some VendorSimulator, speaking wire: LocalServer.Wire) async throws {
        self.wire = wire
        self.simulator = simulator
        server = try await Self.start(simulator, wire, at: 0)
        try await simulator.move(to: server.origin)
    }

    /// Closes every connection; from now on, nobody can connect.
    func stop() async {
        await server.stop()
    }

    /// Listens again, at the same port.
    func restart() async throws {
        server = try await Self.start(simulator, wire, at: server.port)
    }

    private static func start(
        _ simulator: any VendorSimulator, _ wire: LocalServer.Wire, at port: Int
    ) async throws -> LocalServer {
        try await LocalServer.start(wire, at: port) { request, body in
            await simulator.respond(to: request, body: body)
        }
    }
}
