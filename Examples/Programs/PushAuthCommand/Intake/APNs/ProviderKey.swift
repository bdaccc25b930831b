import Crypto
import Foundation
import PushCore

/// A key with which a server proves to APNs who it is
/// (developer.apple.com, "Establishing a token-based connection to APNs").
struct ProviderKey: Sendable {
    /// 10 characters each, as Apple's.
    let keyID: String
    let teamID: String

    /// The app's bundle identifier.
    let topic: String

    let key: P256.Signing.PrivateKey

    /// How old a provider token may be, in seconds.
    static let lifetime: Double = 3600

    /// How far the clocks may differ, in seconds.
    private static let skew: Double = 300

    /// The topic of a new key.
    static let usualTopic = "com.example.pushauth"

    /// - Returns: When the token was issued, in seconds.
    /// - Throws: `APNsReason` unless this key signed a token of the last hour.
    @discardableResult
    func check(_ text: String?, at now: Date) throws(APNsReason) -> Double {
        guard let text else { throw .missingProviderToken }
        guard let token = CompactToken(text), token.header["alg"]?.string == "ES256",
            token.header["kid"]?.string == keyID,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature),
            key.publicKey.isValidSignature(signature, for: token.signed),
            token.claims["iss"]?.string == teamID,
            // Inferred: Apple documents a number alone, and kalyke, a client of APNs, sends text.
            let issued = token.moment("iat", allowsText: true)
        else { throw .invalidProviderToken }
        let age = now.timeIntervalSince1970 - issued
        guard age >= -Self.skew else { throw .invalidProviderToken }
        guard age <= Self.lifetime else { throw .expiredProviderToken }
        return issued
    }
}
