package import Crypto
package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A private key for ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4).
package struct ES256PrivateKey: JWSSigningKey {
    /// The key.
    package let key: P256.Signing.PrivateKey

    /// Creates a key.
    package init(_ key: P256.Signing.PrivateKey) {
        self.key = key
    }

    /// Creates a key from its number, 32 bytes, most significant first.
    ///
    /// - Throws: `PushError` with the code `malformed` if the number isn't from 1 to the order of
    ///   the curve less one, or has another length.
    package init(_ secret: Secret) throws(PushError) {
        let key = secret.withBytes { bytes in
            try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        }
        guard let key else { throw PushError(.malformed, "Not a private key of P-256.") }
        self.key = key
    }

    /// The other half.
    package var publicKey: ES256PublicKey { ES256PublicKey(key.publicKey) }

    /// `ES256`.
    package var algorithm: String { "ES256" }

    /// Signs; `r` and `s`, 32 bytes each.
    package func signature(over message: Data) throws(PushError) -> Data {
        do {
            return try key.signature(for: message).rawRepresentation
        } catch {
            throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
        }
    }
}
