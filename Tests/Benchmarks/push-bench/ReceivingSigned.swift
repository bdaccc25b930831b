import Crypto
import CryptoExtras
import Foundation
import Harness
import PushCore
import PushPlusAuth
import PushPlusAuthSimulator
import PushTesting

/// From the bytes of a push to a verified notice with a key pair of its own for each of 50 accounts,
/// beside one bare check of the signature, with and without the key's name in the push.
func receivingRS256() async throws -> [Comparison] {
    [try await comparison(.rs256, "RS256") { try RSACheck($0) }]
}

/// The same for keys of P-256.
func receivingES256() async throws -> [Comparison] {
    [try await comparison(.es256, "ES256") { try P256Check($0) }]
}

private let accounts = 50

private func comparison(
    _ algorithm: PlusAuth.KeyAlgorithm, _ name: String,
    _ makeCheck: @escaping (Signed) throws -> any SignatureCheck
) async throws -> Comparison {
    let simulator = PlusAuthSimulator(.init(random: SeededRandom(seed: 1)))
    let environment = PushEnvironment(
        transport: SimulatedTransport(to: simulator), store: InMemoryStore(),
        verifier: ScriptedVerifier.willing(), random: SeededRandom(seed: 2),
        device: Device(name: "Example", platform: .apple))
    var configuration = PlusAuth.Configuration()
    configuration.keyAlgorithm = algorithm
    let provider = PlusAuth(configuration: configuration, in: environment)
    let registry = try PluginRegistry([provider])
    for number in 0..<accounts {
        let invitation = try await simulator.invitation(for: "user\(number)")
        guard let offer = try registry.offers(for: invitation).first else { continue }
        _ = try await provider.enroller.enroll(offer, with: [], deviceToken: .fcm("token"))
    }
    func push() async throws -> Data {
        _ = try await simulator.startLogin(of: "user25", asking: .number)
        return await simulator.takePushes().first?.payload ?? Data()
    }
    let named = try await push()
    await simulator.configure { $0.omitsKid = true }
    let unnamed = try await push()

    guard let body = await simulator.exchanges.dropFirst(25).first?.body,
        let key = try JSON(parsing: body)["public_key"],
        let token = try PushMessage(json: named)["context"]?.string
    else { throw PushError(.notFound, "The simulator pushed nothing.") }
    let signed = try Signed(token, key)
    let check = try makeCheck(signed)
    guard check.holds else { throw PushError(.untrusted, "The bare check fails.") }

    var comparison = Comparison(
        "Receive a push signed by \(name), \(accounts) accounts, \(named.count) bytes")
    comparison.add("the signature alone") { keep(check.holds) }
    comparison.add("the key from its numbers, and the signature") {
        keep(try makeCheck(signed).holds)
    }
    comparison.add("the push: JSON") { keep(try PushMessage(json: named)) }
    let message = try PushMessage(json: named)
    comparison.add("recognition") { keep(provider.candidate(in: message)) }
    let id = Enrollment.ID(key["kid"]?.string ?? "", of: provider.id)
    let enrolled = environment.accounts(for: provider.id)
    comparison.add("store: the account") { keep(try await enrolled.existing(id)) }
    comparison.add("receive: bytes to notice") {
        keep(try await registry.events(from: PushMessage(json: named), in: environment))
    }
    comparison.add("receive without the key's name") {
        keep(try await registry.events(from: PushMessage(json: unnamed), in: environment))
    }
    return comparison
}

/// What a signature covers, the signature, and the key.
private struct Signed {
    let input: Data
    let signature: Data
    init(_ token: String, _ key: JSON) throws {
        let parts = token.split(separator: ".")
        input = Data("\(parts[0]).\(parts[1])".utf8)
        signature = Self.data(String(parts[2]))
        numbers = ["n", "e", "x", "y"].reduce(into: [:]) { numbers, name in
            numbers[name] = Self.data(key[name]?.string ?? "")
        }
    }

    func number(_ name: String) -> Data { numbers[name] ?? Data() }

    let numbers: [String: Data]

    private static func data(_ text: String) -> Data {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: standard + padding) ?? Data()
    }
}

private protocol SignatureCheck: Sendable {
    var holds: Bool { get }
}

private struct RSACheck: SignatureCheck {
    private let key: _RSA.Signing.PublicKey
    private let signature: _RSA.Signing.RSASignature
    private let input: Data

    init(_ signed: Signed) throws {
        key = try .init(n: signed.number("n"), e: signed.number("e"))
        signature = .init(rawRepresentation: signed.signature)
        input = signed.input
    }

    var holds: Bool { key.isValidSignature(signature, for: input, padding: .insecurePKCS1v1_5) }
}

private struct P256Check: SignatureCheck {
    private let key: P256.Signing.PublicKey
    private let signature: P256.Signing.ECDSASignature
    private let input: Data

    init(_ signed: Signed) throws {
        key = try .init(rawRepresentation: signed.number("x") + signed.number("y"))
        signature = try .init(rawRepresentation: signed.signature)
        input = signed.input
    }

    var holds: Bool { key.isValidSignature(signature, for: input) }
}
