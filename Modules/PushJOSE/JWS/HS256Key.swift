import Crypto
package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A shared key for HMAC with SHA-256 (RFC 7518 section 3.2).
///
/// A key of any length is taken as it is. RFC 7518 asks for 32 bytes or more; who gets a shorter
/// one from a vendor finds ``byteCount`` here and decides.
package struct HS256Key: JWSVerificationKey, JWSSigningKey {
    private static let codeByteCount = 32

    /// Copied from a `Secret` into memory that is zeroed, too.
    let key: SymmetricKey

    /// Creates a key.
    package init(_ secret: Secret) {
        key = secret.withBytes { SymmetricKey(data: $0) }
    }

    /// How long the key is, in bytes.
    ///
    /// Anyone can forge for an empty one.
    package var byteCount: Int { key.bitCount / 8 }

    /// `HS256`.
    package var algorithm: String { "HS256" }

    /// Compares in constant time; a truncated code is refused.
    package func verify(_ signature: Data, over message: Data) throws(PushError) {
        guard signature.count == Self.codeByteCount,
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: message, using: key)
        else { throw PushError(.untrusted, "The HS256 authentication code is wrong.") }
    }

    /// Makes the authentication code, 32 bytes.
    package func signature(over message: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }
}
