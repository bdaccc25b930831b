import Crypto
import Foundation
import HTTPTypes

/// A provider's connection to APNs, and how the provider proves on it who it is (developer.apple.com,
/// "Establishing a certificate-based connection to APNs" and "Establishing a token-based connection
/// to APNs").
struct ProviderConnection: Sendable {
    /// What was made of the certificate that the connection was opened with.
    enum Certificate: Hashable, Sendable {
        /// There is none: each request needs a token.
        case none
        /// One for a topic.
        case trusted(topic: String)
        case untrusted
    }

    var certificate = Certificate.none

    /// Whether some request proved who sends it.
    private(set) var isAccepted = false

    private var tokens: [AcceptedToken] = []

    private struct AcceptedToken {
        let digest: SHA256.Digest
        /// In seconds, as `iat` is.
        let issued: Double
    }

    /// How far apart two tokens must be, in seconds.
    static let tokenInterval: Double = 20 * 60

    /// - Returns: The certificate's topic, if there is one.
    /// - Throws: `APNsReason` unless the request is by a provider that may send.
    mutating func check(
        _ request: HTTPRequest, by key: ProviderKey, at now: Date
    ) throws(APNsReason) -> String? {
        switch certificate {
        // As Apple's reference says of `authorization`: ignored where there is a certificate.
        case .trusted(let topic):
            isAccepted = true
            return topic
        case .untrusted: throw .badCertificate
        case .none: break
        }
        if request.headerFields[values: .authorization].count > 1 { throw .duplicateHeaders }
        let token = request.credential("bearer")
        try admit(token ?? "", issued: try key.check(token, at: now), at: now)
        isAccepted = true
        return nil
    }

    /// A token that was taken before is no update, even after a newer one: requests overtake each
    /// other.
    private mutating func admit(
        _ token: String, issued: Double, at now: Date
    ) throws(APNsReason) {
        let digest = SHA256.hash(data: Data(token.utf8))
        if tokens.contains(where: { $0.digest == digest }) { return }
        guard tokens.allSatisfy({ abs($0.issued - issued) >= Self.tokenInterval }) else {
            throw .tooManyProviderTokenUpdates
        }
        let oldest = now.timeIntervalSince1970 - ProviderKey.lifetime - Self.tokenInterval
        tokens.removeAll { $0.issued < oldest }
        tokens.append(AcceptedToken(digest: digest, issued: issued))
    }
}
