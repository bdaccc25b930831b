import CryptoExtras
import Foundation
import HTTPTypes
import Harness
import PushCore
import PushPrivacyIDEA
import PushPrivacyIDEASimulator
import PushTesting

/// A challenge of privacyIDEA, pushed and polled, beside the RSA work that nobody can do without: a
/// verification of the challenge and one of its capabilities, by the server's key of 4096 bits, and for
/// a poll one signature of the device's, of 2048.
func receivingPrivacyIDEA() async throws -> [Comparison] {
    let site = try await PolledSite()
    let rsa = try RSAWork(site.fields, site.serverKey.publicKey)
    guard rsa.holds else { throw PushError(.untrusted, "The bare check fails.") }

    var pushed = Comparison("Receive a challenge of privacyIDEA, \(site.push.count) bytes")
    pushed.add("two verifications alone") { keep(rsa.holds) }
    pushed.add("receive: bytes to notice") {
        keep(
            try await site.registry.events(
                from: PushMessage(json: site.push), in: site.environment))
    }
    var polled = Comparison("Poll privacyIDEA, one challenge waits")
    polled.add("a signature and two verifications alone") {
        keep(try rsa.signature())
        keep(rsa.holds)
    }
    polled.add("poll: request to notices") {
        let account = try await site.environment.accounts(for: site.provider.id).existing(site.id)
        keep(try await site.provider.resolver.pending(of: account, after: nil))
    }
    return [pushed, polled]
}

/// A token, a challenge that waits for it, and a server that says so at once.
private struct PolledSite {
    let serverKey: _RSA.Signing.PrivateKey
    let environment: PushEnvironment
    let provider: PrivacyIDEA
    let registry: PluginRegistry
    let id: Enrollment.ID
    let push: Data
    let fields: JSON.Object

    init() async throws {
        serverKey = try _RSA.Signing.PrivateKey(keySize: .bits4096)
        var configuration = PrivacyIDEASimulator.Configuration(random: SeededRandom(seed: 1))
        configuration.serverKeys = .reusing([
            try .init(pkcs1: Secret(serverKey.derRepresentation))
        ])
        let simulator = PrivacyIDEASimulator(configuration)
        let reply = KeptReply()
        let transport = SimulatedTransport { request, body in
            if let kept = await reply.body { return (HTTPResponse(status: .ok), kept) }
            return await simulator.respond(to: request, body: body)
        }
        environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            random: SeededRandom(seed: 2), device: Device(name: "Example"))
        provider = PrivacyIDEA(in: environment)
        registry = try PluginRegistry([provider])
        guard let offer = try registry.offers(for: await simulator.invitation(for: "ada")).first
        else { throw PushError(.invalidInvitation, "Not a code.") }
        id = try await provider.enroller.enroll(offer, with: [], deviceToken: .fcm("token")).id
        _ = try await simulator.startLogin(of: "ada", asking: .confirm)
        push = await simulator.takePushes().first?.payload ?? Data()
        fields = try JSON(parsing: push).object ?? [:]
        let list: JSON = ["result": ["status": true, "value": [.object(fields)]]]
        await reply.keep(list.data)
    }
}

private actor KeptReply {
    private(set) var body: Data?

    func keep(_ body: Data) { self.body = body }
}

/// What has to be computed, whatever is built around it.
private struct RSAWork {
    private let serverKey: _RSA.Signing.PublicKey
    private let deviceKey: _RSA.Signing.PrivateKey
    private let checks: [(text: Data, signature: _RSA.Signing.RSASignature)]

    init(_ fields: JSON.Object, _ serverKey: _RSA.Signing.PublicKey) throws {
        self.serverKey = serverKey
        deviceKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let text = ["nonce", "url", "serial", "question", "title", "sslverify"]
            .compactMap { fields[$0]?.string }.joined(separator: "|")
        let nonce = fields["nonce"]?.string ?? ""
        let capabilities = #"{"capabilities":{"decline_reason":true},"nonce":"\#(nonce)"}"#
        checks = [(text, "signature"), (capabilities, "capabilities_signature")].map {
            let signature = Self.bytes(base32: fields[$1]?.string ?? "")
            return (Data($0.utf8), .init(rawRepresentation: signature))
        }
    }

    var holds: Bool {
        checks.allSatisfy {
            serverKey.isValidSignature($0.signature, for: $0.text, padding: .insecurePKCS1v1_5)
        }
    }

    func signature() throws -> Data {
        try deviceKey.signature(for: checks[0].text, padding: .insecurePKCS1v1_5)
            .rawRepresentation
    }

    private static func bytes(base32 text: String) -> Data {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var bytes = Data()
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for character in text.utf8 where character != UInt8(ascii: "=") {
            bits = bits << 5 | UInt32(alphabet.firstIndex(of: character) ?? 0)
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }
}
