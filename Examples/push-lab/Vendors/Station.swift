import LocalServer
import PushCore
import PushPlatform
import PushTesting

/// A simulator behind a real server, and a device that reaches it through the real transport.
struct Station<Simulator: VendorSimulator> {
    let simulator: Simulator
    let server: LocalServer
    let authenticator: PushAuthenticator
    let store = InMemoryStore()

    /// Starts the server, and gives the device its plugins.
    init(
        _ simulator: Simulator, over scheme: LocalServer.Scheme, log: ExchangeLog,
        plugins: (Environment) -> [any PushProvider]
    ) async throws {
        self.simulator = simulator
        server = try await LocalServer.start(scheme) { request, body in
            await simulator.respond(to: request, body: body)
        }
        try await simulator.move(to: server.origin)
        var configuration = SystemTransport.Configuration()
        switch scheme {
        case .http: configuration.plainHTTP = .loopbackOnly
        case .https: configuration.certificateAuthorities = .file(server.certificateAuthorityPath)
        }
        let environment = Environment(
            transport: LoggedTransport(transport: SystemTransport(configuration), log: log),
            store: store, verifier: ScriptedVerifier.willing(), device: Device(name: "push-lab"))
        authenticator = PushAuthenticator(
            try PluginRegistry(plugins(environment)), in: environment)
    }

    /// Enrolls a user's account by the simulator's own invitation.
    func enroll(_ user: String) async throws -> Enrollment {
        let invitation = try await simulator.invitation(for: user)
        guard let offer = try authenticator.offers(for: invitation).first else {
            throw PushError(.invalidInvitation, "No plugin made an offer.")
        }
        return try await authenticator.enroll(offer)
    }

    /// Takes the pushes that are on their way, and hands them to the authenticator.
    func receive() async throws -> [Reception] {
        var receptions: [Reception] = []
        for push in await simulator.takePushes() {
            receptions += try await authenticator.receive(push.message())
        }
        return receptions
    }

    /// Takes the pushes that are on their way, and opens the one new challenge among them.
    func receiveChallenge() async throws -> Challenge {
        for reception in try await receive() where reception.isNew {
            if let id = reception.challenge { return try await authenticator.challenge(id) }
        }
        throw PushError(.notFound, "No new challenge came.")
    }

    /// Answers a challenge, and says what the vendor said and where the login stands then.
    func answer(
        _ challenge: Challenge, _ resolution: Resolution, _ login: SimulatedLogin
    ) async throws -> String {
        let outcome = try await authenticator.resolve(challenge, with: resolution)
        return try await "\(outcome.words), login \(simulator.status(of: login.id))"
    }

    func close() async {
        await server.stop()
    }
}

extension Outcome {
    /// The outcome in a few words, for the table.
    var words: String {
        switch self {
        case .delivered: "delivered"
        case .notTaken(let refusal): refusal.mayRetry ? "not taken, may retry" : "not taken"
        case .expired: "expired"
        case .answeredElsewhere: "answered elsewhere"
        case .code: "code"
        case .verifyAgain: "verify again"
        case .unknown: "unknown"
        @unknown default: "\(self)"
        }
    }
}

extension Result where Failure == PushError {
    /// The code of the error, or what came instead.
    var refusal: String {
        switch self {
        case .success: "not refused"
        case .failure(let error): "refused: \(error.code)"
        }
    }
}
