import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import Testing

/// A device written for these tests alone: it shares no protocol code with the plugin or the
/// simulator.
struct Phone {
    let idm: String
    let secret: Data
    let managerKey: P256.Signing.PublicKey
    var key: P256.Signing.PrivateKey
    var biometricKey: P256.Signing.PrivateKey?
    var pin: String? = "24680"
    var salt = Data(0..<16)
    var iterations = 3
    var token: JSON = "token-1"
    var platform: JSON = "test"
    var activation = ""

    /// Scans a link. The label makes the device's keys.
    init(scanning link: String, label: String = "phone", biometry: Bool = true) throws {
        let prefix = "oxrw://personalize?d="
        try #require(link.hasPrefix(prefix))
        let json = try JSON(
            parsing: try data(base64url: String(link.dropFirst(prefix.count))))
        idm = try #require(json["idm"]?.string)
        secret = try data(base64url: try #require(json["act"]?.string))
        managerKey = try P256.Signing.PublicKey(
            x963Representation: try data(base64url: try #require(json["mk"]?.string)))
        key = try Self.key("\(label) device")
        biometricKey = biometry ? try Self.key("\(label) biometry") : nil
    }

    static func key(_ label: String) throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(rawRepresentation: Data(SHA256.hash(data: Data(label.utf8))))
    }

    func derived(_ purpose: String, _ count: Int) -> Data {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), salt: Data(idm.utf8),
            info: Data("OXRW1 act \(purpose)".utf8), outputByteCount: count
        ).withUnsafeBytes { Data($0) }
    }

    var pinKey: Data? {
        pin.map { Data(pbkdf2(Array($0.utf8), salt: Array(salt), iterations: iterations)) }
    }

    // MARK: Personalization

    func sealedPIN(_ json: JSON? = nil, key other: Data? = nil) throws -> JSON {
        guard let pinKey else { return .null }
        let json: JSON =
            json ?? [
                "salt": .string(base64url(salt)), "iterations": .number(.init(Int64(iterations))),
                "verifier": .string(base64url(pinKey)),
            ]
        let nonce = try AES.GCM.Nonce(data: Data(0..<12))
        let box = try AES.GCM.seal(
            json.data, using: SymmetricKey(data: other ?? derived("seal", 32)), nonce: nonce,
            authenticating: Data("\(idm)\n\(thumbprint(key.publicKey))".utf8))
        return .string(base64url(try #require(box.combined)))
    }

    func personalizationBody() throws -> JSON.Object {
        [
            "device_key": jwk(key.publicKey),
            "biometric_key": biometricKey.map { jwk($0.publicKey) } ?? .null,
            "pin_setup": try sealedPIN(), "push_token": token, "platform": platform,
            "alias": "Jane's phone",
        ]
    }

    /// The claims that prove the activation secret.
    func activationClaims(jti: String, body: Data) -> JSON.Object {
        let message =
            "OXRW1-ACT\n\(idm)\n\(thumbprint(key.publicKey))\n\(jti)\n\(base64url(sha256(body)))"
        let mac = HMAC<SHA256>.authenticationCode(
            for: Data(message.utf8), using: SymmetricKey(data: derived("mac", 32)))
        return [
            "act": .string(base64url(derived("id", 16))), "mac": .string(base64url(Data(mac))),
        ]
    }

    // MARK: Approval

    /// What an assertion says of a process that was started.
    func assertionClaims(_ start: JSON, at time: Int64, jti: String) throws -> JSON.Object {
        let required = (start["info"]?.object?.members ?? [])
            .filter { $0.value["requirement"] == "required" }.map { JSON.string($0.name) }
        let text = start["transaction"]?["text"]?.string
        return [
            "iss": .string(activation), "aud": .string(idm), "jti": .string(jti),
            "iat": .number(.init(time)), "exp": try #require(start["expires_at"]),
            "pid": try #require(start["pid"]), "svc": try #require(start["service"]?["id"]),
            "challenge": try #require(start["challenge"]),
            "role": try #require(start["roles"]?.array?.first?["id"]), "decision": "approve",
            "attrs": .array(required),
            "tx": text.map { .string(base64url(sha256(Data($0.utf8)))) } ?? .null,
        ]
    }

    func assertion(_ claims: JSON.Object) throws -> String {
        try Token.text(.object(claims), type: "oxrw-asr+jwt", by: key)
    }

    /// The proof that a PIN is known, bound to an assertion.
    func proof(of pin: String, for claims: JSON.Object, assertion: String) throws -> JSON {
        let process = try #require(claims["pid"]?.string)
        let challenge = try #require(claims["challenge"]?.string)
        let message =
            "OXRW1-PIN\n\(process)\n\(challenge)\n\(base64url(sha256(Data(assertion.utf8))))"
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(message.utf8),
            using: SymmetricKey(
                data: pbkdf2(Array(pin.utf8), salt: Array(salt), iterations: iterations)))
        return ["type": "pin", "proof": .string(base64url(Data(code)))]
    }

    func biometry(
        for assertion: String, at time: Int64, by other: P256.Signing.PrivateKey? = nil
    ) throws -> JSON {
        let claims: JSON = [
            "asr": .string(base64url(sha256(Data(assertion.utf8)))), "iat": .number(.init(time)),
        ]
        let key = try #require(other ?? biometricKey)
        return [
            "type": "biometric",
            "assertion": .string(try Token.text(claims, type: "oxrw-bio+jwt", by: key)),
        ]
    }
}

/// A push as a device reads it.
struct Received {
    let payload: JSON
    let text: String
    let token: Token

    init(_ push: SimulatedPush) throws {
        payload = try push.message().content
        #expect(payload["oxrw"] == "1")
        text = try #require(payload["oxrw_msg"]?.string)
        token = try Token(text)
    }

    var claims: JSON { token.claims }
    var process: String { claims["pid"]?.string ?? "" }
}
