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

    /// Believes a reply.
    ///
    /// The signature must be ES256, by the server's key; application key, activation and challenge
    /// must be the request's, byte for byte; the key must be a point of the curve and live for some
    /// time. `iat` and `exp`, in seconds, may not contradict `iat_ms` and `exp_ms`.
    ///
    /// - Parameters:
    ///   - jwt: The reply's `jwt`.
    ///   - serverKey: The master server key in application scope, the activation's server key in
    ///     activation scope.
    ///   - sent: The monotonic time before the request was sent, from which the key's life counts.
    /// - Returns: The key, with the monotonic time at which it ends.
    /// - Throws: `PushError` with the code `malformed` if it's no such reply at all, `untrusted` if
    ///   it isn't the server's to this question.
    func key(
        from jwt: String, signedBy serverKey: CurvePoint, sent: Duration
    ) throws(PushError) -> TemporaryKey {
        let claims = try UnverifiedJWT(parsing: jwt)
            .verified(by: ES256PublicKey(try serverKey.signingKey)).claims
        try requireEcho(claims)
        guard let id = claims["sub"]?.string, !id.isEmpty,
            let point = claims["publicKey"]?.string
        else { throw PushError(.malformed, "A temporary key has no identifier or no bytes.") }
        let publicKey = try CurvePoint(StrictBase64.decode(point))
        let issued = try Self.time("iat", in: claims)
        let expiry = try Self.time("exp", in: claims)
        guard issued < expiry else {
            throw PushError(.malformed, "A temporary key ends before it begins.")
        }
        return TemporaryKey(
            key: EncryptionKey(id: id, publicKey: publicKey),
            issued: Date(unixMilliseconds: issued), end: sent + .milliseconds(expiry - issued))
    }

    private func requireEcho(_ claims: JSON.Object) throws(PushError) {
        let expected = [
            ("applicationKey", scope.application.key), ("activationId", scope.activationID),
            ("challenge", challenge),
        ]
        for (name, value) in expected {
            let claim = claims[name]
            // By bytes: string equality takes canonically equivalent characters for each other.
            let isEcho =
                if let value { claim?.string?.utf8.elementsEqual(value.utf8) ?? false } else {
                    claim == nil
                }
            guard isEcho else {
                throw PushError(.untrusted, "A temporary key's \(name) isn't the request's.")
            }
        }
    }

    /// A time in milliseconds, from `iat_ms` or `exp_ms`.
    private static func time(_ name: String, in claims: JSON.Object) throws(PushError) -> Int64 {
        guard let milliseconds = claims[name + "_ms"]?.integer,
            (0...Date.lastMillisecond).contains(milliseconds)
        else { throw PushError(.malformed, "A temporary key's \(name)_ms isn't a time.") }
        if let claim = claims[name] {
            let whole = milliseconds / 1000
            guard let seconds = claim.integer, (whole - 1...whole + 1).contains(seconds) else {
                throw PushError(.malformed, "A temporary key's \(name) contradicts \(name)_ms.")
            }
        }
        return milliseconds
    }
}
