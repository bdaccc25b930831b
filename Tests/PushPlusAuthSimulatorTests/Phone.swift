import Crypto
import CryptoExtras
import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import Testing

/// A device, with code of its own for all that it sends.
struct Phone: Sendable {
    enum Kind: String, CaseIterable, Sendable { case rsa, ec }

    var publicKey: JSON.Object
    var privateKey: JSON.Object
    var identifier = "3f1c9a7e-5b0d-4a52-9c58-0f6f2f6f9d11"
    var service: JSON? = "fcm"
    var token: JSON? = "fcm-token-0001"
    var userAgent: String? = "App/1.2 (Linux; Android 14; Pixel 8)"

    /// A device with the keys of `Vectors/keys.json`.
    init(_ kind: Kind = .ec) throws {
        let keys = try Vectors("keys")
        publicKey = try keys.object("\(kind.rawValue)_public_jwk")
        privateKey = try keys.object("\(kind.rawValue)_private_jwk")
    }

    /// Another device, with a new key of P-256.
    static func another(_ name: String) throws -> Phone {
        var phone = try Phone(.ec)
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.rawRepresentation
        phone.publicKey["x"] = .string(base64url(point.prefix(32)))
        phone.publicKey["y"] = .string(base64url(point.suffix(32)))
        phone.publicKey["kid"] = .string(name)
        phone.privateKey = phone.publicKey
        phone.privateKey["d"] = .string(base64url(key.rawRepresentation))
        phone.identifier = name
        phone.token = .string("token of \(name)")
        return phone
    }

    var algorithm: String { publicKey["alg"]?.string ?? "" }

    var enrollment: JSON.Object {
        var credentials: JSON.Object = [:]
        credentials["service"] = service
        credentials["device_token"] = token
        return [
            "public_key": .object(publicKey), "private_key": .object(privateKey),
            "device_identifier": .string(identifier), "credentials": .object(credentials),
        ]
    }

    /// The body of an answer.
    func answer(_ claims: JSON.Object, header: JSON.Object? = nil) throws -> JSON {
        [
            "context": .string(try jwt(claims, header: header)),
            "device_identifier": .string(identifier),
        ]
    }

    func jwt(_ claims: JSON.Object, header: JSON.Object? = nil) throws -> String {
        let header = header ?? ["alg": .string(algorithm), "typ": "JWT"]
        return try CompactJWS.text(.object(header), .object(claims), signedBy: signature)
    }

    private func signature(_ message: Data) throws -> Data {
        if algorithm == "RS256" {
            let numbers = try ["n", "e", "d", "p", "q"].map { try number($0, of: privateKey) }
            let key = try _RSA.Signing.PrivateKey(
                n: numbers[0], e: numbers[1], d: numbers[2], p: numbers[3], q: numbers[4])
            return try key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation
        }
        let key = try P256.Signing.PrivateKey(rawRepresentation: number("d", of: privateKey))
        return try key.signature(for: message).rawRepresentation
    }

    /// Whether this device's key made a push.
    func verifies(_ push: Received, padding: _RSA.Signing.Padding = .insecurePKCS1v1_5) throws
        -> Bool
    {
        if algorithm == "RS256" {
            let key = try _RSA.Signing.PublicKey(
                n: number("n", of: publicKey), e: number("e", of: publicKey))
            return key.isValidSignature(
                .init(rawRepresentation: push.signature), for: push.signed, padding: padding)
        }
        let key = try P256.Signing.PublicKey(
            rawRepresentation: number("x", of: publicKey) + number("y", of: publicKey))
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: push.signature)
        else { return false }
        return key.isValidSignature(signature, for: push.signed)
    }

    private func number(_ name: String, of key: JSON.Object) throws -> Data {
        try data(base64url: try #require(key[name]?.string))
    }
}

/// A push as a device takes it apart.
struct Received {
    let jwt: String
    let header: JSON.Object
    let claims: JSON.Object
    let signed: Data
    let signature: Data

    init(_ push: SimulatedPush) throws {
        let payload = try JSON(parsing: push.payload)
        try self.init(jwt: #require((payload["context"] ?? payload["data"]?["context"])?.string))
    }

    init(jwt: String) throws {
        self.jwt = jwt
        let token = try CompactJWS(jwt)
        header = try #require(token.header.object)
        claims = try #require(token.claims.object)
        (signed, signature) = (token.signed, token.signature)
    }

    var token: String { claims["context_token"]?.string ?? "" }

    /// The path that the answer goes to.
    var path: String {
        claims["resolve_url"]?.string.flatMap { URL(string: $0)?.path } ?? Bench.resolve
    }
}
