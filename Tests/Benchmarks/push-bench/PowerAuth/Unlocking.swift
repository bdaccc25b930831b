import Crypto
import Foundation
import HTTPTypes
import Harness
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// Unlocking the vault and deriving a key of the app's own: turn, record, envelope, signature of two
/// factors, the counter written, the reply opened, and the device's key opened and proved.
///
/// The PIN is stretched by three rounds, and the reply is recorded, as for an activation.
func unlocking() async throws -> Comparison {
    let clock = ManualClock(Date(timeIntervalSince1970: 1_780_000_000))
    var server = PowerAuthSimulator.Configuration(clock: clock, random: SeededRandom(seed: 3))
    server.invitation.commitPhase = .onKeyExchange
    let simulator = PowerAuthSimulator(server)
    let (store, tape) = (InMemoryStore(), Tape(to: simulator))
    let first = try await Device(store, tape, SystemRandom(), clock, simulator)
    let invitation = try await simulator.invitation(for: "alice")
    guard let offer = try first.authenticator.offers(for: invitation).first else {
        throw PushError(.notFound, "The invitation is nobody's.")
    }
    let enrollment = try await first.authenticator.enroll(offer).id
    // The same ephemeral key and nonce each time, so that one reply is right for all requests.
    let second = try await Device(store, tape, RepeatingRandom(), clock, simulator)
    let vault = try PowerAuthManager(
        second.authenticator, provider: second.provider, enrollment: enrollment
    ).vault
    let primitives = try RawUnlocking()

    var comparison = Comparison("PowerAuth: unlock the vault (PBKDF2: 3 rounds)")
    comparison.add("its P-256 work alone") { try primitives.agree() }
    comparison.add("its P-256, AES and HMAC") { try primitives.run() }
    comparison.add("unlock, derive a key, reply recorded") {
        let key = try await vault.withEncryptionKey(
            PowerAuthEncryptionKeyName(index: 7), by: .pin(Secret("1234".utf8))
        ) { (key) throws(PushError) in key.count }
        keep(key)
    }
    return comparison
}

/// A device whose store and server others share.
private struct Device {
    let authenticator: PushAuthenticator
    let provider: PowerAuth

    init(
        _ store: InMemoryStore, _ tape: Tape, _ random: any RandomSource, _ clock: ManualClock,
        _ simulator: PowerAuthSimulator
    ) async throws {
        let environment = PushEnvironment(
            transport: tape, store: store, verifier: ScriptedVerifier.willing(), clock: clock,
            random: random, device: Device.name)
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await simulator.sdkConfiguration,
            enrollmentServer: Endpoint(await simulator.origin))
        configuration.pinIterations = 3
        configuration.offersBiometry = false
        provider = PowerAuth(configuration: configuration, in: environment)
        authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
    }

    private static let name = PushCore.Device(name: "Example", platform: .apple)
}

/// Says what the server said to the first unlocking each time.
private actor Tape: Transport {
    private let server: SimulatedTransport
    private var unlocked: (response: HTTPResponse, body: Data)?

    init(to simulator: PowerAuthSimulator) { server = SimulatedTransport(to: simulator) }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let isUnlocking = request.path?.hasSuffix("/vault/unlock") == true
        if isUnlocking, let unlocked { return unlocked }
        let reply = try await server.send(request, body: body)
        if isUnlocking { unlocked = reply }
        return reply
    }
}

/// What no client can do without: the envelope's ephemeral key and agreement, and the device's key
/// with the agreement that proves the vault's key.
private struct RawUnlocking {
    private let scalar = SystemRandom().bytes(32).withBytes { Data($0) }
    private let server = P256.KeyAgreement.PrivateKey().publicKey
    private let example: PowerAuthExample

    init() throws { example = try PowerAuthExample() }

    func agree() throws {
        for _ in 0..<2 {
            let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
            keep(key.publicKey.compressedRepresentation)
            keep(try key.sharedSecretFromKeyAgreement(with: server))
        }
    }

    func run() throws {
        try agree()
        let primitives = RawOpening(example)
        // The request's envelope, the reply's, the vault's key, the device's, and the keys derived.
        for _ in 0..<2 { keep(try primitives.run()) }
        for _ in 0..<8 { keep(try primitives.block()) }
        // A signature of two factors.
        for _ in 0..<5 { keep(primitives.code()) }
    }
}
