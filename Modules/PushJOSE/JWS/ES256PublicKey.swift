package import Crypto
package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A public key for ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4).
package struct ES256PublicKey: JWSVerificationKey {
    private static let signatureByteCount = 64

    /// The key; it's a point on the curve.
    package let key: P256.Signing.PublicKey

    /// Creates a key.
    package init(_ key: P256.Signing.PublicKey) {
        self.key = key
    }

    /// `ES256`.
    package var algorithm: String { "ES256" }

    /// Accepts `r` and `s`, 32 bytes each; neither DER nor numbers outside 1 to the order less one.
    ///
    /// With (`r`, `s`) the pair (`r`, order − `s`) is right, too: don't deduplicate by signature.
    package func verify(_ signature: Data, over message: Data) throws(PushError) {
        guard signature.count == Self.signatureByteCount,
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(
                ecdsa, for: message.withUnsafeBytes { SHA256.digest(of: $0) })
        else { throw PushError(.untrusted, "The ES256 signature is wrong.") }
    }
}
