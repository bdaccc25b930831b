import LocalServer
import PushCore

/// Makes the intakes of a fleet's process. It writes nothing: what they need was made once.
struct FleetIntakes {
    let options: IntakeOptions

    /// An address at which nothing is but `/ready`.
    let ready: IntakeAddress?
    let setup: FleetSetup
    let readiness: Readiness

    /// How many connections all of them keep.
    let connections: ConnectionGate
    let random: any RandomSource

    /// How many pushes each puts on record at the same time.
    private static let width = 32

    /// After how many requests a connection of APNs is closed: else a sender that keeps it sends
    /// everything to one process, whatever the balancer does.
    private static let requestsPerConnection = 1000

    func make() throws(Failure) -> [any Intake] {
        var intakes: [any Intake] = []
        let own = try options.identity()
        if let http = options.http {
            intakes.append(
                HTTPIntake(
                    server(at: http, own), secret: setup.httpSecret, fleet: setup.tokens))
        }
        if let fcm = options.fcm {
            intakes.append(FCMIntake(server(at: fcm, own), of: setup, random: random))
        }
        if let apns = options.apns {
            var server = server(at: apns, own ?? setup.identities.server)
            server.requestsPerConnection = Self.requestsPerConnection
            var endpoint = APNsEndpoint(key: setup.provider, token: "", random: random)
            endpoint.fleet = setup.tokens
            intakes.append(
                APNsIntake(
                    server, credentials: nil, endpoint: endpoint, trust: setup.identities.trust))
        }
        if let ready {
            // Nothing that is asked or answered there is anybody's secret, and checks stay simple.
            var server = IntakeServer(address: ready, identity: nil)
            server.connections = connections
            server.readiness = readiness
            intakes.append(ReadyIntake(server))
        }
        return intakes
    }

    /// Serves the counters, if that was asked for.
    func metrics(
        of ground: Ground, _ backlog: Backlog, beside intakes: [any Intake]
    ) async throws(Failure) -> LocalServer? {
        guard let meter = ground.options.meter, let address = options.metrics else { return nil }
        return try await MetricsServer(
            server: server(at: address, options.identity()), meter: meter,
            questions: ground.questions
        )
        .start(beside: intakes) { await backlog.gauges }
    }

    /// What others reach is reached over TLS.
    private func server(at address: IntakeAddress, _ identity: LocalIdentity?) -> IntakeServer {
        let needed = address.isLoopback ? identity : identity ?? setup.identities.server
        var server = IntakeServer(address: address, identity: needed)
        server.width = Self.width
        server.connections = connections
        server.readiness = readiness
        return server
    }
}
