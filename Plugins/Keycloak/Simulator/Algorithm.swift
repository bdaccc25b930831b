import Crypto
import CryptoExtras
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// What realms and devices sign with (RFC 7518, section 3.1).
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 over SHA-256, Keycloak's default.
        case rs256 = "RS256"
        /// RSASSA-PKCS1-v1_5 over SHA-384.
        case rs384 = "RS384"
        /// RSASSA-PKCS1-v1_5 over SHA-512.
        case rs512 = "RS512"
        /// ECDSA with P-256 over SHA-256.
        case es256 = "ES256"
        /// ECDSA with P-384 over SHA-384.
        case es384 = "ES384"
        /// ECDSA with P-521 over SHA-512.
        case es512 = "ES512"

        /// The name of its curve; `nil` for RSA.
        var curve: String? {
            switch self {
            case .rs256, .rs384, .rs512: nil
            case .es256: "P-256"
            case .es384: "P-384"
            case .es512: "P-521"
            }
        }

        /// How many bytes a coordinate of its curve has; 0 for RSA.
        var coordinateBytes: Int {
            switch self {
            case .rs256, .rs384, .rs512: 0
            case .es256: 32
            case .es384: 48
            case .es512: 66
            }
        }
    }
}

/// The half of a key pair that verifies, whoever holds the other half.
enum PublicKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)

    /// Whether the signature is this key's; `false` for an algorithm of other keys.
    func verifies(
        _ signature: Data, over message: Data, as algorithm: KeycloakSimulator.Algorithm
    ) -> Bool {
        switch (self, algorithm) {
        case (.rsa(let key), .rs256):
            Self.verifies(signature, over: SHA256.hash(data: message), by: key)
        case (.rsa(let key), .rs384):
            Self.verifies(signature, over: SHA384.hash(data: message), by: key)
        case (.rsa(let key), .rs512):
            Self.verifies(signature, over: SHA512.hash(data: message), by: key)
        case (.p256(let key), .es256):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: message) } ?? false
        case (.p384(let key), .es384):
            (try? P384.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: message) } ?? false
        case (.p521(let key), .es512):
            (try? P521.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: message) } ?? false
        default: false
        }
    }

    private static func verifies(
        _ signature: Data, over digest: some Digest, by key: _RSA.Signing.PublicKey
    ) -> Bool {
        key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest,
            padding: .insecurePKCS1v1_5)
    }
}
