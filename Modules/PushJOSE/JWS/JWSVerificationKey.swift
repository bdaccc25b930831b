package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A key that verifies signatures or authentication codes, of one algorithm only.
///
/// What a JWS may be signed with is said by the key, never by the JWS. A plugin that needs another
/// algorithm brings a conforming type of its own.
package protocol JWSVerificationKey: Sendable {
    /// The one algorithm it verifies, by its registered name, such as `ES256` (RFC 7518 section 3).
    var algorithm: String { get }

    /// Returns if a signature is right, and throws if it isn't.
    ///
    /// Authentication codes must be compared in constant time.
    ///
    /// - Parameters:
    ///   - signature: The decoded signature, of any length; it comes from a stranger.
    ///   - message: The bytes that were signed.
    /// - Throws: `PushError` with the code `untrusted`.
    func verify(_ signature: Data, over message: Data) throws(PushError)
}
