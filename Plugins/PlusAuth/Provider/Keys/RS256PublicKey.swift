import Crypto
import CryptoExtras
package import PushCore
package import PushJOSE

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A public key for RSA with PKCS#1 v1.5 and SHA-256 (RFC 7518 section 3.3), of 2048 bits or more.
package struct RS256PublicKey: JWSVerificationKey {
    private let key: _RSA.Signing.PublicKey

    /// Creates a key from its numbers, most significant byte first.
    ///
    /// - Throws: `PushError` with the code `malformed` if they make no key of 2048 bits or more.
    package init(
        modulus: some ContiguousBytes, exponent: some ContiguousBytes
    ) throws(PushError) {
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else {
            throw PushError(.malformed, "Not an RSA key of 2048 bits or more.")
        }
        self.key = key
    }

    /// Creates a key from its JWK (RFC 7518 section 6.3.1), if that is for verifying with RS256.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's for something else or has private
    ///   members, `malformed` if its numbers make no key of 2048 bits or more.
    package init(_ jwk: JWK) throws(PushError) {
        try jwk.check(.verify, keyType: "RSA", algorithm: "RS256")
        try self.init(modulus: try jwk.bytes("n"), exponent: try jwk.bytes("e"))
    }

    /// `RS256`.
    package var algorithm: String { "RS256" }

    /// Accepts PKCS#1 v1.5 alone; the library's own default would be PSS.
    package func verify(_ signature: Data, over message: Data) throws(PushError) {
        let isValid = key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature),
            for: message.withUnsafeBytes { SHA256.digest(of: $0) }, padding: .insecurePKCS1v1_5)
        guard isValid else { throw PushError(.untrusted, "The RS256 signature is wrong.") }
    }
}
