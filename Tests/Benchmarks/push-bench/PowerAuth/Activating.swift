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
    let configuration = try await Phone.configuration(of: simulator)
    let invitation = try await simulator.invitation(for: "alice")
    let transport = SimulatedTransport(to: simulator)
    let bytes = SeededRandom(seed: 2).bytes(4096).withBytes { Array($0) }
    try await Phone(configuration, over: transport, DrawnBefore(bytes)).activate(invitation)
    // With the same random bytes and the same time the same replies are right, so that the server's
    // work can be left out.
    let replay = Replay(await transport.exchanges)
    let raw = try RawActivation()

    var comparison = Comparison("PowerAuth: activate (PBKDF2: \(Phone.rounds) rounds)")
    comparison.add("its P-256 work alone") { try raw.run() }
    comparison.add("the same, the code checked twice") { try raw.run(checksCode: 2) }
    comparison.add("client, replies recorded") {
        try Phone(configuration, over: replay, DrawnBefore(bytes))
    } _: {
        try await $0.activate(invitation)
    }
    comparison.add("client and simulator") {
        let simulator = PowerAuthSimulator(server)
        let invitation = try await simulator.invitation(for: "alice")
        let transport = SimulatedTransport(to: simulator)
        let phone = try Phone(
            try await Phone.configuration(of: simulator), over: transport, SystemRandom())
        return (phone: phone, invitation: invitation)
    } _: {
        try await $0.phone.activate($0.invitation)
    }
    return comparison
}

/// A new phone each time, with nothing in its store.
private struct Phone {
    static let time = Date(timeIntervalSince1970: 1_780_000_000)
    static let rounds = 3

    private let registry: PluginRegistry
    private let provider: PowerAuth

    static func configuration(
        of simulator: PowerAuthSimulator
    ) async throws -> PowerAuthConfiguration {
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await simulator.sdkConfiguration,
            enrollmentServer: Endpoint(await simulator.origin))
        configuration.pinIterations = rounds
        return configuration
    }

    init(
        _ configuration: PowerAuthConfiguration, over transport: any Transport,
        _ random: any RandomSource
    ) throws {
        let environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            clock: ManualClock(Self.time), random: random,
            device: Device(name: "Example", platform: .apple))
        provider = PowerAuth(configuration: configuration, in: environment)
        registry = try PluginRegistry([provider])
    }

    func activate(_ invitation: Invitation) async throws {
        guard let offer = try registry.offers(for: invitation).first else {
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

/// Bytes that were drawn before, one after the other: a phone's random bytes that cost next to nothing.
///
/// Its phone does one thing after the other, so nothing guards the position.
private final class DrawnBefore: RandomSource, @unchecked Sendable {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeBytes { bytes in
            let part = bytes[position..<position + buffer.count]
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
        }
        position += buffer.count
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

/// The operations on P-256 of an activation, from the bytes that it gets, and nothing else.
private struct RawActivation {
    private static let message = Data("a message to sign".utf8)

    private let signer: P256.Signing.PublicKey
    private let der: Data
    private let raw: Data
    private let point = P256.KeyAgreement.PrivateKey().publicKey.x963Representation

    init() throws {
        let key = P256.Signing.PrivateKey()
        signer = key.publicKey
        let signature = try key.signature(for: Self.message)
        (der, raw) = (signature.derRepresentation, signature.rawRepresentation)
    }

    /// The code's signature is checked once, as an offer is made of it, or again when the offer is taken.
    func run(checksCode: Int = 1) throws {
        for _ in 0..<checksCode { try verify(.init(derRepresentation: der)) }
        // The temporary key's.
        try verify(.init(rawRepresentation: raw))
        // The temporary key for two envelopes, and the server's for the activation itself.
        let keys = try (0..<2).map { _ in
            try P256.KeyAgreement.PublicKey(x963Representation: point)
        }
        for key in [keys[0], keys[0], keys[1]] { try agree(with: key) }
    }

    private func verify(_ signature: P256.Signing.ECDSASignature) throws {
        guard signer.isValidSignature(signature, for: Self.message) else {
            throw PushError(.untrusted, "The signature isn't the signer's.")
        }
    }

    private func agree(with server: P256.KeyAgreement.PublicKey) throws {
        let bytes = SystemRandom().bytes(32).withBytes { Data($0) }
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        keep(key.publicKey.compressedRepresentation)
        keep(try key.sharedSecretFromKeyAgreement(with: server))
    }
}
