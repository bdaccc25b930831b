import Crypto
import CryptoExtras
import Foundation
import IndependentEncodings
import PushCore
import Testing

/// A device's key pair, of any kind that the extension takes.
enum TestKey {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)

    /// Made once: an RSA key takes long.
    private static let rsa = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

    /// A new key for an algorithm; all of RSA are one.
    init(_ algorithm: String) throws {
        switch algorithm {
        case "ES256": self = .p256(P256.Signing.PrivateKey())
        case "ES384": self = .p384(P384.Signing.PrivateKey())
        case "ES512": self = .p521(P521.Signing.PrivateKey())
        default: self = .rsa(try #require(Self.rsa))
        }
    }

    /// A key of a file: PKCS#1 in Base64, or a curve and a number in base64url.
    init(stored json: JSON) throws {
        guard let curve = json["kind"]?.string else {
            let der = try #require(Data(base64Encoded: json.string ?? ""))
            self = .rsa(try _RSA.Signing.PrivateKey(derRepresentation: der))
            return
        }
        let number = try data(base64url: json["d"]?.string ?? "")
        self =
            curve == "P-256"
            ? .p256(try P256.Signing.PrivateKey(rawRepresentation: number))
            : .p521(try P521.Signing.PrivateKey(rawRepresentation: number))
    }

    /// The public half as a JWK without `alg` and `kid`.
    var jwk: JSON.Object {
        get throws {
            switch self {
            case .rsa(let key):
                let numbers = try key.publicKey.getKeyPrimitives()
                return [
                    "kty": "RSA", "n": .string(base64url(numbers.modulus)),
                    "e": .string(base64url(numbers.publicExponent)),
                ]
            case .p256(let key): return Self.point(key.publicKey.rawRepresentation, "P-256")
            case .p384(let key): return Self.point(key.publicKey.rawRepresentation, "P-384")
            case .p521(let key): return Self.point(key.publicKey.rawRepresentation, "P-521")
            }
        }
    }

    private static func point(_ bytes: Data, _ curve: String) -> JSON.Object {
        [
            "kty": "EC", "crv": .string(curve),
            "x": .string(base64url(bytes.prefix(bytes.count / 2))),
            "y": .string(base64url(bytes.suffix(bytes.count / 2))),
        ]
    }

    /// A compact JWS; `alg` in the header says what signs.
    func jws(_ header: JSON.Object, _ claims: JSON.Object) throws -> String {
        let signed = [header, claims].map { base64url(JSON.object($0).text) }
            .joined(separator: ".")
        let signature = try signature(over: Data(signed.utf8), header["alg"]?.string ?? "")
        return "\(signed).\(base64url(signature))"
    }

    private func signature(over message: Data, _ algorithm: String) throws -> Data {
        switch self {
        case .rsa(let key):
            switch algorithm {
            case "RS384": return try Self.signature(over: SHA384.hash(data: message), key)
            case "RS512": return try Self.signature(over: SHA512.hash(data: message), key)
            case "PS256": return try key.signature(for: message, padding: .PSS).rawRepresentation
            default: return try Self.signature(over: SHA256.hash(data: message), key)
            }
        case .p256(let key): return try key.signature(for: message).rawRepresentation
        case .p384(let key): return try key.signature(for: message).rawRepresentation
        case .p521(let key): return try key.signature(for: message).rawRepresentation
        }
    }

    private static func signature(
        over digest: some Digest, _ key: _RSA.Signing.PrivateKey
    ) throws -> Data {
        try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
    }
}

/// A token of the realm, read without a key.
struct ReadToken {
    let text: String
    let header: JSON.Object
    let claims: JSON.Object

    init(_ text: String) throws {
        self.text = text
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        header = try #require(try JSON(parsing: data(base64url: parts[0])).object)
        claims = try #require(try JSON(parsing: data(base64url: parts[1])).object)
    }

    /// Whether a key of the realm's set, by the token's `kid`, signed it as its `alg` says.
    func isSigned(by keySet: JSON) throws -> Bool {
        let keys = try #require(keySet["keys"]?.array)
        guard let jwk = keys.first(where: { $0["kid"] == header["kid"] }), jwk["use"] == "sig",
            jwk["alg"] == header["alg"]
        else { return false }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let message = Data("\(parts[0]).\(parts[1])".utf8)
        let signature = try data(base64url: parts[2])
        switch header["alg"]?.string {
        case "RS256": return try isSigned(SHA256.hash(data: message), signature, jwk)
        case "RS384": return try isSigned(SHA384.hash(data: message), signature, jwk)
        case "RS512": return try isSigned(SHA512.hash(data: message), signature, jwk)
        case "ES256":
            return try P256.Signing.PublicKey(rawRepresentation: point(jwk))
                .isValidSignature(.init(rawRepresentation: signature), for: message)
        case "ES384":
            return try P384.Signing.PublicKey(rawRepresentation: point(jwk))
                .isValidSignature(.init(rawRepresentation: signature), for: message)
        case "ES512":
            return try P521.Signing.PublicKey(rawRepresentation: point(jwk))
                .isValidSignature(.init(rawRepresentation: signature), for: message)
        default: return false
        }
    }

    private func point(_ jwk: JSON) throws -> Data {
        try data(base64url: jwk["x"]?.string ?? "") + data(base64url: jwk["y"]?.string ?? "")
    }

    private func isSigned(
        _ digest: some Digest, _ signature: Data, _ jwk: JSON
    ) throws -> Bool {
        let key = try _RSA.Signing.PublicKey(
            n: data(base64url: jwk["n"]?.string ?? ""), e: data(base64url: jwk["e"]?.string ?? ""))
        return key.isValidSignature(
            .init(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
    }
}
