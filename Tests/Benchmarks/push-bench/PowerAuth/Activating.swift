import Crypto
import Foundation
import HTTPTypes
import Harness
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// A whole activation: offer, temporary key, the exchange, the record, the first status.
///
/// The PIN is stretched by three rounds only: how many there are is the app's choice, and their time
/// is PBKDF2's.
func activating() async throws -> Comparison {
    let server = PowerAuthSimulator.Configuration(
        clock: ManualClock(Phone.time), random: SeededRandom(seed: 1))
    let simulator = PowerAuthSimulator(server)
    let phone = try await Phone(of: simulator)
    let invitation = try await simulator.invitation(for: "alice")
    let transport = SimulatedTransport(to: simulator)
    try await phone.activate(invitation, over: transport, SeededRandom(seed: 2))
    // With the same random bytes and the same time the same replies are right, so that the server's
    // work can be left out.
    let replay = Replay(await transport.exchanges)
    let raw = try RawActivation()

    var comparison = Comparison("PowerAuth: activate (PBKDF2: \(Phone.rounds) rounds)")
    comparison.add("its P-256 work alone") { try raw.run() }
    comparison.add("client, replies recorded") {
        try await phone.activate(invitation, over: replay, SeededRandom(seed: 2))
    }
    comparison.add("client and simulator") {
        let simulator = PowerAuthSimulator(server)
        let invitation = try await simulator.invitation(for: "alice")
        try await phone.activate(
            invitation, over: SimulatedTransport(to: simulator), SystemRandom())
    }
    return comparison
}

/// A new phone each time, with nothing in its store.
private struct Phone {
    static let time = Date(timeIntervalSince1970: 1_780_000_000)
    static let rounds = 3

    private let configuration: PowerAuthConfiguration
    private let verifier = ScriptedVerifier.willing()

    init(of simulator: PowerAuthSimulator) async throws {
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await simulator.sdkConfiguration,
            enrollmentServer: Endpoint(await simulator.origin))
        configuration.pinIterations = Self.rounds
        self.configuration = configuration
    }

    func activate(
        _ invitation: Invitation, over transport: any Transport, _ random: any RandomSource
    ) async throws {
        let environment = Environment(
            transport: transport, store: InMemoryStore(), verifier: verifier,
            clock: ManualClock(Self.time), random: random,
            device: Device(name: "Example", platform: .apple))
        let provider = PowerAuth(configuration: configuration, in: environment)
        guard let offer = try PluginRegistry([provider]).offers(for: invitation).first else {
            throw PushError(.notFound, "The invitation is nobody's.")
        }
        let enrollment = try await provider.enroller.enroll(
            offer, with: [.pin(Secret("1234".utf8))], deviceToken: nil)
        guard case .pending = enrollment.state else {
            throw PushError(.untrusted, "The back office has committed nothing.")
        }
        keep(enrollment)
    }
}

/// Says what was said before, call by call.
private struct Replay: Transport {
    private var replies: [String: (response: HTTPResponse, body: Data)] = [:]

    init(_ exchanges: [RecordedExchange]) {
        for exchange in exchanges {
            replies[exchange.request.path ?? ""] = (exchange.response, exchange.responseBody)
        }
    }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        guard let reply = replies[request.path ?? ""] else {
            throw PushError(.unreachable, "That wasn't asked before.")
        }
        return reply
    }
}

/// The operations on P-256 of an activation, and nothing else.
private struct RawActivation {
    private static let message = Data("a message to sign".utf8)

    private let signer: P256.Signing.PublicKey
    private let signature: P256.Signing.ECDSASignature
    private let server = P256.KeyAgreement.PrivateKey().publicKey

    init() throws {
        let key = P256.Signing.PrivateKey()
        signer = key.publicKey
        signature = try key.signature(for: Self.message)
    }

    func run() throws {
        // The code, as an offer and when it is used, and the temporary key.
        for _ in 0..<3 { keep(signer.isValidSignature(signature, for: Self.message)) }
        // Two envelopes, and the activation itself.
        for _ in 0..<3 {
            let bytes = SystemRandom().bytes(32).withBytes { Data($0) }
            let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            keep(key.publicKey.compressedRepresentation)
            keep(try key.sharedSecretFromKeyAgreement(with: server))
        }
    }
}
