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
    static let lifetime: Int64 = 3600

    /// How far the clocks may differ, in seconds.
    private static let skew: Int64 = 300

    /// The topic of a new key.
    static let usualTopic = "com.example.pushauth"

    /// - Returns: When the token was issued, in seconds.
    /// - Throws: `APNsReason` unless this key signed a token of the last hour.
    @discardableResult
    func check(_ text: String?, at now: Date) throws(APNsReason) -> Int64 {
        guard let text else { throw .missingProviderToken }
        guard let token = CompactToken(text), token.header["alg"]?.string == "ES256",
            token.header["kid"]?.string == keyID,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature),
            key.publicKey.isValidSignature(signature, for: token.signed),
            token.claims["iss"]?.string == teamID,
            let issued = token.claims["iat"]?.integer, (0...1 << 40).contains(issued)
        else { throw .invalidProviderToken }
        let age = Int64(now.timeIntervalSince1970) - issued
        guard age >= -Self.skew else { throw .invalidProviderToken }
        guard age <= Self.lifetime else { throw .expiredProviderToken }
        return issued
    }
}
