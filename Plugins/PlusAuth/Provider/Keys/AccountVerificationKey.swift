import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key that verifies an account's pushes, in a form that a credential keeps and every push reads.
///
/// That form is read without building the private key again: for RS256 the length of the public
/// exponent in one byte, the exponent, the modulus; for ES256 the two coordinates.
enum AccountVerificationKey: Sendable {
    case rs256(RS256PublicKey)
    case es256(ES256PublicKey)

    init(_ algorithm: PlusAuthKeyAlgorithm, stored: Secret) throws(PushError) {
        switch algorithm {
        case .rs256:
            self = .rs256(
                try stored.withBytes { (bytes) throws(PushError) in
                    let start = 1 + Int(bytes.first ?? 0)
                    guard 1 < start, start < bytes.count else { throw Self.damaged }
                    return try RS256PublicKey(
                        modulus: UnsafeRawBufferPointer(rebasing: bytes[start...]),
                        exponent: UnsafeRawBufferPointer(rebasing: bytes[1..<start]))
                })
        case .es256:
            let key = stored.withBytes { try? P256.Signing.PublicKey(rawRepresentation: $0) }
            guard let key else { throw Self.damaged }
            self = .es256(ES256PublicKey(key))
        }
    }

    static func stored(_ numbers: RSAPrivateNumbers) -> Secret {
        let (exponent, modulus) = (numbers.publicExponent, numbers.modulus)
        return Secret(count: 1 + exponent.count + modulus.count) { output in
            output[0] = UInt8(truncatingIfNeeded: exponent.count)
            exponent.withBytes { output[1...].copyBytes(from: $0) }
            modulus.withBytes { output[(1 + exponent.count)...].copyBytes(from: $0) }
        }
    }

    static func stored(_ key: ES256PublicKey) -> Secret {
        Secret(key.key.rawRepresentation)
    }

    func verified(_ jws: UnverifiedJWS) throws(PushError) -> VerifiedJWS {
        switch self {
        case .rs256(let key): try jws.verified(by: key)
        case .es256(let key): try jws.verified(by: key)
        }
    }

    private static let damaged = PushError(.malformed, "The credential is damaged.")
}
