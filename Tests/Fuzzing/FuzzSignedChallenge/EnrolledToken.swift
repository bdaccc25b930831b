import CryptoExtras
import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEA
import PushPrivacyIDEASimulator
import PushTesting

/// A device with one token, whose server key the target knows, and a server that replies what it is told.
struct EnrolledToken: Sendable {
    let provider: PrivacyIDEA
    let accounts: Accounts
    let id: Enrollment.ID
    private let key: _RSA.Signing.PrivateKey
    private let replies = Replies()

    init() async throws {
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        var configuration = PrivacyIDEASimulator.Configuration(random: SeededRandom(seed: 1))
        configuration.serverKeys = .reusing([try .init(pkcs1: Secret(key.derRepresentation))])
        let simulator = PrivacyIDEASimulator(configuration)
        let transport = SimulatedTransport { [replies] request, body in
            guard let reply = await replies.body else {
                return await simulator.respond(to: request, body: body)
            }
            return (HTTPResponse(status: .ok), reply)
        }
        let environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            random: SeededRandom(seed: 2), device: Device(name: "Example"))
        provider = PrivacyIDEA(in: environment)
        accounts = environment.accounts(for: provider.id)
        let code = try await simulator.enrollmentURI(for: "ada", serial: "PIPU0001ABCD")
        guard let offer = try provider.enroller.offer(.scanned(text: code)) else {
            throw PushError(.invalidInvitation, "Not a code.")
        }
        id = try await provider.enroller.enroll(offer, with: [], deviceToken: .fcm("token")).id
    }

    /// What the server says that waits.
    func listed(in reply: Data) async throws(PushError) -> [Announcement] {
        await replies.set(reply)
        let account = try await accounts.existing(id)
        return try await provider.resolver.pending(of: account, after: nil).announcements
    }

    /// An object whose texts the server signed, good or bad; `nil` for anything but an object.
    func signed(_ input: Data) -> Data? {
        guard var fields = (try? JSON(parsing: input))?.object else { return nil }
        fields["serial"] = "PIPU0001ABCD"
        fields["signature"] = signature(over: Self.signedText(of: fields)).map(JSON.string)
        let capabilities = fields["capabilities"]?.string ?? ""
        let nonce = JSON.string(fields["nonce"]?.string ?? "").text
        let text =
            #"{"capabilities":\#(capabilities.replacing(": ", with: ":")),"nonce":\#(nonce)}"#
        if !capabilities.isEmpty {
            fields["capabilities_signature"] = signature(over: text).map(JSON.string)
        }
        return JSON.object(fields).data
    }

    /// Whether the server signed what stands in an object, told without the plugin.
    func isSigned(_ fields: JSON.Object) -> Bool {
        fields["signature"]?.string == signature(over: Self.signedText(of: fields))
    }

    private static func signedText(of fields: JSON.Object) -> String {
        ["nonce", "url", "serial", "question", "title", "sslverify", "require_presence"]
            .compactMap { fields[$0]?.string }.joined(separator: "|")
    }

    private func signature(over text: String) -> String? {
        let signature = try? key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
        return signature.map { base32($0.rawRepresentation) }
    }
}

private actor Replies {
    private(set) var body: Data?

    func set(_ body: Data) { self.body = body }
}

/// RFC 4648 section 6, padded.
private func base32(_ bytes: Data) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var text: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
        (bits, count) = (bits << 8 | UInt32(byte), count + 8)
        while count >= 5 {
            count -= 5
            text.append(alphabet[Int(bits >> count & 31)])
        }
    }
    if count > 0 { text.append(alphabet[Int(bits << (5 - count) & 31)]) }
    while !text.count.isMultiple(of: 8) { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
}
