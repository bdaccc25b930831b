import Foundation
import LocalServer
import PushCore
import PushPlatform
import PushTesting

/// A simulator behind a real server, and a device that reaches it through the real transport.
struct Station<Simulator: VendorSimulator> {
    let simulator: Simulator
    let host: Host
    let authenticator: PushAuthenticator
    let store = InMemoryStore()

    /// Starts the server, and gives the device its plugins.
    ///
    /// - Parameters:
    ///   - simulator: The vendor.
    ///   - wire: What the server speaks.
    ///   - authority: Who vouches for the server; it alone is trusted.
    ///   - log: Where exchanges are written.
    ///   - plugins: What the device links.
    init(
        _ simulator: Simulator, speaking wire: LocalServer.Wire, trusting authority: LocalAuthority,
        log: ExchangeLog, plugins: (Environment) -> [any PushProvider]
    ) async throws {
        self.simulator = simulator
        host = try await Host(simulator, speaking: wire)
        let configuration = SystemTransport.Configuration(
            plainHTTP: .loopbackOnly,
            certificateAuthorities: .file(authority.certificateFile.path))
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
        return try await "\(outcome.words), \(status(of: login))"
    }

    /// Where a login stands, in a few words.
    func status(of login: SimulatedLogin) async throws -> String {
        switch try await simulator.status(of: login.id) {
        case .waiting: "still waiting"
        case .approved: "logged in"
        case .denied: "login denied"
        case .failed: "login failed"
        case .expired: "login expired"
        @unknown default: "login in an unknown state"
        }
    }

    func close() async {
        await host.stop()
    }
}

extension Outcome {
    /// The outcome in a few words, for the table.
    var words: String {
        switch self {
        case .delivered: "taken"
        case .notTaken(let refusal): refusal.mayRetry ? "may retry" : "not taken"
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
        case .failure(let error): "\(error.code)"
        }
    }
}
