import Crypto
import Foundation
import PushCore
import Testing

/// A device, with code of its own for all that it sends.
final class Phone {
    let app: App
    var version: String
    let key: P256.KeyAgreement.PrivateKey
    let id: String
    let serverKey: P256.KeyAgreement.PublicKey
    let keys: [String: Data]
    let transport: Data
    var counter: Data
    var steps = 0
    var token: (id: String, secret: Data)?

    /// What the app ships with.
    struct App {
        var key: String
        var secret: String
        var masterKey: P256.KeyAgreement.PublicKey

        /// Reads the vendor's configuration string.
        init(_ text: String) throws {
            let bytes = [UInt8](try b64(text))
            try #require(bytes.count == 1 + 17 + 17 + 2 + 66 && bytes[0] == 1)
            try #require(bytes[1] == 16 && bytes[18] == 16 && bytes[35] == 1)
            try #require(bytes[36] == 1 && bytes[37] == 65)
            key = Data(bytes[2..<18]).base64EncodedString()
            secret = Data(bytes[19..<35]).base64EncodedString()
            masterKey = try .init(x963Representation: bytes[38...])
        }
    }

    init(
        _ app: App, version: String, key: P256.KeyAgreement.PrivateKey, _ answer: JSON
    ) throws {
        self.app = app
        self.version = version
        self.key = key
        id = try #require(answer["activationId"]?.string)
        serverKey = try .init(x963Representation: b64(answer["serverPublicKey"]?.string))
        counter = try b64(answer["ctrData"]?.string)
        let z = try key.sharedSecretFromKeyAgreement(with: serverKey)
            .withUnsafeBytes { Data($0) }
        let master = Raw.xor16(z)
        keys = [
            "possession": try Raw.kdf(master, 1), "knowledge": try Raw.kdf(master, 2),
            "biometry": try Raw.kdf(master, 3),
        ]
        transport = try Raw.kdf(master, 1000)
    }

    /// The 8 digits that are compared before the commit.
    var fingerprint: String {
        let numbers = [key.publicKey, serverKey].map { key in
            Data(key.rawRepresentation.prefix(32).drop { $0 == 0 })
        }
        return Raw.digits(
            Data(SHA256.hash(data: numbers[0] + Data(id.utf8) + numbers[1])))
    }

    func target(_ temporary: (id: String, key: P256.KeyAgreement.PublicKey)?) -> Envelope.Target {
        Envelope.Target(
            version: version, applicationKey: app.key, applicationSecret: app.secret,
            activation: id, transport: transport, key: temporary?.key ?? serverKey,
            keyID: temporary?.id)
    }

    // MARK: Signatures

    struct Twist {
        var version: String?
        var activation: String?
        var applicationKey: String?
        var nonce: Data?
        /// Which key is wrong.
        var wrong: String?
        /// Whether the counter stays, as if the app had forgotten to move it.
        var keepsCounter = false
        var secret: String?
    }

    /// A signature's header; the counter moves.
    func header(
        _ type: String, _ uriID: String, _ body: Data, _ twist: Twist = Twist(),
        method: String = "POST"
    ) -> String {
        let version = twist.version ?? self.version
        let nonce = (twist.nonce ?? Raw.random(16)).base64EncodedString()
        let text = [
            method, Data(uriID.utf8).base64EncodedString(), nonce, body.base64EncodedString(),
            twist.secret ?? app.secret,
        ].joined(separator: "&")
        let codes = Raw.codes(factors(type, twist.wrong), counter, Data(text.utf8))
        if !twist.keepsCounter { advance() }
        let signature =
            version == "3.0"
            ? codes.map { Raw.digits($0) }.joined(separator: "-")
            : codes.reduce(Data()) { $0 + $1.suffix(16) }.base64EncodedString()
        return """
            PowerAuth pa_version="\(version)", pa_activation_id="\(twist.activation ?? id)", \
            pa_application_key="\(twist.applicationKey ?? app.key)", pa_nonce="\(nonce)", \
            pa_signature_type="\(type)", pa_signature="\(signature)"
            """
    }

    func factors(_ type: String, _ wrong: String? = nil) -> [Data] {
        type.split(separator: "_").map { name in
            var key = keys[String(name)] ?? Data(count: 16)
            if wrong == String(name) { key[0] ^= 1 }
            return key
        }
    }

    func advance(_ count: Int = 1) {
        for _ in 0..<count { counter = Raw.step(counter) }
        steps += count
    }

    /// The digits that a user copies from the device to a web page.
    func offline(_ type: String, _ code: String, digits: Int = 8) -> String {
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
        var body = "\(lines[0])&\(lines[3])"
        if lines.count > 7 { body += "&\(lines[5])" }
        let text = [
            "POST", Data("/operation/authorize/offline".utf8).base64EncodedString(),
            String(lines[lines.count - 2]), Data(body.utf8).base64EncodedString(), "offline",
        ].joined(separator: "&")
        let codes = Raw.codes(factors(type), counter, Data(text.utf8))
        advance()
        return codes.map { Raw.digits($0, digits) }.joined(separator: "-")
    }

    // MARK: Tokens

    func tokenHeader(
        at time: Int, version: String? = nil, nonce: Data = Raw.random(16), secret: Data? = nil,
        id: String? = nil
    ) throws -> String {
        let token = try #require(token)
        let version = version ?? self.version
        var message = nonce + Data("&\(time)".utf8)
        if version > "3.1" { message += Data("&\(version)".utf8) }
        let digest = Raw.hmac(secret ?? token.secret, message).base64EncodedString()
        return """
            PowerAuth version="\(version)", token_id="\(id ?? token.id)", \
            token_digest="\(digest)", nonce="\(nonce.base64EncodedString())", timestamp="\(time)"
            """
    }
}
