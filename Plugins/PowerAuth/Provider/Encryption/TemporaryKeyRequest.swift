import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks for a temporary key, and believes only the reply to this very question (vendor:
/// powerauth-crypto, `docs/Temporary-Encryption-Keys.md`).
struct TemporaryKeyRequest: Sendable {
    /// As many bytes as the vendor's own clients draw.
    private static let challengeByteCount = 18

    /// What the key will be bound to.
    let scope: EncryptionScope

    /// What the reply has to repeat.
    let challenge: String

    /// Makes a question that nobody has asked before.
    init(_ scope: EncryptionScope, random: any RandomSource) {
        self.init(
            scope,
            challenge: random.bytes(Self.challengeByteCount).withBytes { Base64.encode($0) })
    }

    init(_ scope: EncryptionScope, challenge: String) {
        self.scope = scope
        self.challenge = challenge
    }

    /// The request's JWT, authenticated by HS256.
    ///
    /// - Throws: `PushError`, which no application and no activation gives cause for.
    func token() throws(PushError) -> String {
        var claims: JSON.Object = ["applicationKey": .string(scope.application.key)]
        if let id = scope.activationID { claims["activationId"] = .string(id) }
        claims["challenge"] = .string(challenge)
        return try HS256Key(authenticationKey).compactJWS(
            of: JSON.object(claims).data, header: ["alg": "HS256", "typ": "JWT"])
    }

    /// Here the application's secret counts as the 16 bytes, not as the text that codes cover.
    private var authenticationKey: Secret {
        let secret = scope.application.secretKey
        guard case .activation(_, _, let transportKey) = scope else { return secret }
        return KeyDerivation.internalKey(transportKey, secret)
    }
}
