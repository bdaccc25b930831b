import Crypto
import CryptoExtras
import Foundation
import IndependentEncodings
import PushCore
import Testing

/// An account's key pair as its server holds it: it signs challenges, and checks answers.
struct AccountKey: Sendable {
    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case ec(P256.Signing.PrivateKey)
    }

    private let key: Key
    /// The key's RFC 7638 thumbprint.
    let id: String

    /// Reads what a device sends as `private_key`.
    init(privateJWK jwk: JSON.Object) throws {
        func member(_ name: String) throws -> Data {
            try data(base64url: #require(jwk[name]?.string))
        }
        id = thumbprint(jwk)
        if jwk["kty"] == "RSA" {
            key = .rsa(
                try _RSA.Signing.PrivateKey(
                    n: member("n"), e: member("e"), d: member("d"), p: member("p"),
                    q: member("q")))
        } else {
            key = .ec(try P256.Signing.PrivateKey(rawRepresentation: member("d")))
        }
    }

    /// A key that no account has.
    static func stranger() -> AccountKey { AccountKey(P256.Signing.PrivateKey()) }

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = .ec(key)
        id = "stranger"
    }

    var algorithm: String {
        switch key {
        case .rsa: "RS256"
        case .ec: "ES256"
        }
    }

    func signature(over text: String) throws -> [UInt8] {
        let message = Data(text.utf8)
        switch key {
        case .rsa(let key):
            return try Array(
                key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation)
        case .ec(let key): return try Array(key.signature(for: message).rawRepresentation)
        }
    }

    /// A signature that is valid, but in a form that the algorithm's name doesn't mean: PSS or DER.
    func oddSignature(over text: String) throws -> [UInt8] {
        let message = Data(text.utf8)
        switch key {
        case .rsa(let key):
            return try Array(key.signature(for: message, padding: .PSS).rawRepresentation)
        case .ec(let key): return try Array(key.signature(for: message).derRepresentation)
        }
    }

    func accepts(_ signature: [UInt8], over text: String) -> Bool {
        let message = Data(text.utf8)
        switch key {
        case .rsa(let key):
            return key.publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: message,
                padding: .insecurePKCS1v1_5)
        case .ec(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.publicKey.isValidSignature(signature, for: message)
        }
    }

    /// The public key in PEM, which an attacker knows and may try as a shared secret.
    var publicPEM: String {
        switch key {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .ec(let key): key.publicKey.pemRepresentation
        }
    }
}
