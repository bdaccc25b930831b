public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A JWT (RFC 7519: a compact JWS whose payload is a JSON object) that was read, not trusted.
///
/// The payload is parsed once: here a claim may locate the key, and after ``verified(by:)`` the
/// same claims are the message.
public struct UnverifiedJWT: Sendable {
    /// The header.
    ///
    /// Its `kid` is a hint to a key, its `alg` never a choice of one.
    public var unverifiedHeader: JWSHeader { jws.unverifiedHeader }

    /// The claims, for the one purpose of finding the key to verify with.
    public let unverifiedClaims: JSON.Object

    private let jws: UnverifiedJWS

    /// Reads a JWT.
    ///
    /// - Parameters:
    ///   - text: The text: three parts, none empty, and nothing around them.
    ///   - encoding: How payload and signature may be encoded.
    ///   - limits: `bytes` limits the whole text, `depth` the nesting of header and payload.
    /// - Throws: `PushError` with the code `malformed` if it isn't a JWT at all, `untrusted` if
    ///   it is one that no key could make acceptable; see ``JWSHeader``.
    public init(
        parsing text: some StringProtocol, encoding: JWSEncoding = .strict,
        limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        try self.init(
            UnverifiedJWS(parsing: text, encoding: encoding, limits: limits), limits)
    }

    /// Reads a JWT from a string, as the general initializer does, and faster.
    public init(
        parsing text: String, encoding: JWSEncoding = .strict, limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        try self.init(
            UnverifiedJWS(parsing: text, encoding: encoding, limits: limits), limits)
    }

    private init(_ jws: UnverifiedJWS, _ limits: JSON.Limits) throws(PushError) {
        self.jws = jws
        let payload = try JSON(parsing: jws.unverifiedPayload, limits: limits)
        guard let claims = payload.object else {
            throw PushError(.malformed, "The JWT's payload isn't a JSON object.")
        }
        unverifiedClaims = claims
    }

    /// Checks the signature over the bytes that were received.
    ///
    /// - Throws: `PushError` with the code `untrusted`, whatever the reason.
    public func verified(by key: some JWSVerificationKey) throws(PushError) -> VerifiedJWT {
        try VerifiedJWT(self, verifiedBy: key)
    }

    var payload: Data { jws.unverifiedPayload }

    func check(by key: some JWSVerificationKey) throws(PushError) {
        try jws.check(by: key)
    }
}

/// A JWT whose signature was right.
///
/// Nothing but verification makes one. It proves who signed. `exp`, `nbf`, `aud` and the like are
/// claims as any other: the caller, who knows the time and the protocol, judges them.
public struct VerifiedJWT: Sendable {
    /// The header, which the signature covers.
    public let header: JWSHeader

    /// The claims, which the signature covers.
    public let claims: JSON.Object

    /// The bytes that hold the claims, which the signature covers.
    public let payload: Data

    init(_ jwt: UnverifiedJWT, verifiedBy key: some JWSVerificationKey) throws(PushError) {
        try jwt.check(by: key)
        header = jwt.unverifiedHeader
        claims = jwt.unverifiedClaims
        payload = jwt.payload
    }
}
