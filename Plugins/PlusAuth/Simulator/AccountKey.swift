import Crypto
import CryptoExtras
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The half of an account's keys that verifies answers.
enum AccountPublicKey: JWSVerificationKey {
    case rs256(_RSA.Signing.PublicKey)
    case es256(ES256PublicKey)

    var algorithm: String {
        switch self {
        case .rs256: "RS256"
        case .es256: "ES256"
        }
    }

    func verify(_ signature: Data, over message: Data) throws(PushError) {
        switch self {
        case .rs256(let key):
            let rsa = _RSA.Signing.RSASignature(rawRepresentation: signature)
            guard key.isValidSignature(rsa, for: message, padding: .insecurePKCS1v1_5) else {
                throw PushError(.untrusted, "The RS256 signature is wrong.")
            }
        case .es256(let key): try key.verify(signature, over: message)
        }
    }

    /// The text that a confused verifier would take for an HMAC key.
    var pem: String {
        switch self {
        case .rs256(let key): key.pemRepresentation
        case .es256(let key): key.key.pemRepresentation
        }
    }

    /// Whether it is the same key.
    func isSame(as other: AccountPublicKey) -> Bool { pem == other.pem }
}

/// The half of an account's keys that signs pushes.
enum AccountPrivateKey: JWSSigningKey {
    case rs256(_RSA.Signing.PrivateKey)
    case es256(ES256PrivateKey)

    var publicKey: AccountPublicKey {
        switch self {
        case .rs256(let key): .rs256(key.publicKey)
        case .es256(let key): .es256(key.publicKey)
        }
    }

    var algorithm: String { publicKey.algorithm }

    func signature(over message: Data) throws(PushError) -> Data {
        switch self {
        case .rs256(let key): try key.signature(over: message, padding: .insecurePKCS1v1_5)
        case .es256(let key): try key.signature(over: message)
        }
    }
}

extension _RSA.Signing.PrivateKey {
    func signature(over message: Data, padding: _RSA.Signing.Padding) throws(PushError) -> Data {
        do {
            return try signature(for: message, padding: padding).rawRepresentation
        } catch {
            throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
        }
    }
}
