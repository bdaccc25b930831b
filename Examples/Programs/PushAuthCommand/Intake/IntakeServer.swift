import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// The server of an intake: where it listens, and what it puts up with.
struct IntakeServer {
    let address: IntakeAddress

    /// What proves the server to its clients; `nil` for plain HTTP.
    let identity: LocalIdentity?

    /// The largest body that an endpoint looks at, in bytes.
    var maximumBodySize = 64 << 10

    var requiresHTTP2 = false
    /// Whether clients are asked for a certificate.
    var asksForCertificate = false

    /// After how many requests a connection of HTTP/2 is closed.
    var requestsPerConnection: Int?

    /// How many pushes are put on record at the same time.
    var width = 16

    /// How many connections are kept, over all intakes.
    var connections: ConnectionGate?

    /// What `GET /ready` is answered by, if there is such a path.
    var readiness: Readiness?

    /// How long a client may take for a request.
    var patience = Duration.seconds(10)

    /// What it answers to a larger body.
    var oversized: @Sendable (HTTPRequest) -> IntakeReply = { _ in
        IntakeReply(status: .contentTooLarge, body: ["error": "the body is too large"])
    }

    /// Begins to listen.
    ///
    /// - Parameter endpoint: Makes what meets each connection, once it is known under which URL.
    /// - Returns: The server, which listens.
    /// - Throws: `Failure` that names the address and what to do.
    func start(
        _ endpoint: (_ origin: String) throws -> LocalServer.Greeting
    ) async throws(Failure) -> LocalServer {
        let (greetings, source) = AsyncStream<LocalServer.Greeting>.makeStream()
        // A request that comes before the greeting is known waits for it.
        let greeting = Task { () -> LocalServer.Greeting? in
            for await greeting in greetings { return greeting }
            return nil
        }
        do {
            let server = try await LocalServer.start(wire, with: settings) {
                [readiness, connections] peer in
                let nothing: LocalServer.Handler = { _, _ in nil }
                let handler = await greeting.value?(peer) ?? nothing
                guard let readiness else { return handler }
                return { request, body in
                    guard request.plainPath == "/ready" else { return await handler(request, body) }
                    return await readiness.reply(connections?.load).response
                }
            }
            source.yield(try endpoint(server.origin))
            source.finish()
            return server
        } catch {
            source.finish()
            throw failure(error)
        }
    }

    private var wire: LocalServer.Wire {
        identity.map { .modern($0) } ?? .plain
    }

    private var settings: LocalServer.Settings {
        var settings = LocalServer.Settings()
        settings.host = address.host
        settings.port = address.port
        settings.patience = patience
        settings.connections = connections
        settings.maximumBodySize = maximumBodySize
        settings.requiresHTTP2 = requiresHTTP2
        settings.asksForCertificate = asksForCertificate
        settings.requestsPerConnection = requestsPerConnection
        settings.oversized = { [oversized] in oversized($0).response }
        return settings
    }

    private func failure(_ error: any Error) -> Failure {
        switch error {
        case let failure as Failure: failure
        case Obstacle.portTaken:
            Failure(
                .failed, "Port \(address.port) of \(address.host) is taken by another program.",
                advice: "Name another port, or 0 to let the system choose one.")
        case Obstacle.notAllowed:
            Failure(
                .failed, "Only a privileged process may listen at port \(address.port).",
                advice: "Name a port from 1024 on, or 0 to let the system choose one.")
        case Obstacle.foreignHost:
            Failure(
                .failed, "\(address.host) is no address of this machine.",
                advice: "127.0.0.1 is always one.")
        default: Failure(.failed, "Nothing can listen at \(address): \(error)")
        }
    }
}
