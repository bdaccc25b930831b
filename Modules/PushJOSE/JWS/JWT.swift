public import PushCore

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
    ///
    /// - Throws: As the general initializer.
    public init(
        parsing text: String, encoding: JWSEncoding = .strict, limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        try self.init(
            UnverifiedJWS(parsing: text, encoding: encoding, limits: limits), limits)
    }

    /// Reads a JWT from lent ASCII bytes, as the general initializer does from a text.
    package init(
        parsing ascii: UnsafeRawBufferPointer, encoding: JWSEncoding = .strict,
        limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        try self.init(
            UnverifiedJWS(parsing: ascii, encoding: encoding, limits: limits), limits)
    }

    /// Reads a JWT whose header may have a `jwk`, as a DPoP proof's has.
    init(carryingKey text: String, limits: JSON.Limits) throws(PushError) {
        try self.init(UnverifiedJWS(carryingKey: text, limits: limits), limits)
    }

    private init(_ jws: UnverifiedJWS, _ limits: JSON.Limits) throws(PushError) {
        self.jws = jws
        let payload = jws.withUnverifiedPayload { bytes in
            Result { () throws(PushError) in try JSON(parsing: bytes, limits: limits) }
        }
        guard let claims = try payload.get().object else {
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

    func verifiedJWS(by key: some JWSVerificationKey) throws(PushError) -> VerifiedJWS {
        try jws.verified(by: key)
    }
}

/// A JWT whose signature was right.
///
/// Nothing but verification makes one. It proves who signed. `exp`, `nbf`, `aud` and the like are
/// claims as any other: the caller, who knows the time and the protocol, judges them.
public struct VerifiedJWT: Sendable {
    /// The header, which the signature covers.
    public var header: JWSHeader { jws.header }

    /// The claims, which the signature covers.
    public let claims: JSON.Object

    private let jws: VerifiedJWS

    init(_ jwt: UnverifiedJWT, verifiedBy key: some JWSVerificationKey) throws(PushError) {
        jws = try jwt.verifiedJWS(by: key)
        claims = jwt.unverifiedClaims
    }

    /// Lends the bytes that hold the claims, which the signature covers.
    package func withPayload<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        jws.withPayload(body)
    }
}
