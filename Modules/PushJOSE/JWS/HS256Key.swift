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
    let secret: Secret

    /// Creates a key.
    package init(_ secret: Secret) {
        self.secret = secret
    }

    /// How long the key is, in bytes.
    ///
    /// Anyone can forge for an empty one.
    package var byteCount: Int { secret.count }

    /// `HS256`.
    package var algorithm: String { "HS256" }

    /// Compares in constant time; a truncated code is refused.
    package func verify(_ signature: Data, over message: Data) throws(PushError) {
        let isRight = signature.withUnsafeBytes { code in
            message.withUnsafeBytes { FastHMAC.isCode(code, for: $0, key: secret) }
        }
        guard isRight else {
            throw PushError(.untrusted, "The HS256 authentication code is wrong.")
        }
    }

    /// Makes the authentication code, 32 bytes.
    package func signature(over message: Data) -> Data {
        let code = message.withUnsafeBytes { FastHMAC.code(for: $0, key: secret) }
        return code.withBytes { Data($0) }
    }
}
