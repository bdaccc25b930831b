public import Crypto
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A public key for ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4).
public struct ES256PublicKey: JWSVerificationKey {
    private static let signatureByteCount = 64

    /// The key; it's a point on the curve.
    public let key: P256.Signing.PublicKey

    /// Creates a key.
    public init(_ key: P256.Signing.PublicKey) {
        self.key = key
    }

    /// `ES256`.
    public var algorithm: String { "ES256" }

    /// Accepts `r` and `s`, 32 bytes each; neither DER nor numbers outside 1 to the order less one.
    ///
    /// With (`r`, `s`) the pair (`r`, order − `s`) is right, too: don't deduplicate by signature.
    ///
    /// - Throws: `PushError` with the code `untrusted`.
    public func verify(
        _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
    ) throws(PushError) {
        guard signature.count == Self.signatureByteCount,
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(ecdsa, for: SHA256.digest(of: message))
        else { throw PushError(.untrusted, "The ES256 signature is wrong.") }
    }
}

/// A private key for ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4).
public struct ES256PrivateKey: JWSSigningKey {
    /// The key.
    public let key: P256.Signing.PrivateKey

    /// Creates a key.
    public init(_ key: P256.Signing.PrivateKey) {
        self.key = key
    }

    /// Creates a key from its number, 32 bytes, most significant first.
    ///
    /// - Throws: `PushError` with the code `malformed` if the number isn't from 1 to the order of
    ///   the curve less one, or has another length.
    public init(_ secret: Secret) throws(PushError) {
        let key = secret.withBytes { bytes in
            try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        }
        guard let key else { throw PushError(.malformed, "Not a private key of P-256.") }
        self.key = key
    }

    /// The key's number, as it was given: 32 bytes, most significant first.
    public var secret: Secret { Secret(key.rawRepresentation) }

    /// The other half.
    public var publicKey: ES256PublicKey { ES256PublicKey(key.publicKey) }

    /// `ES256`.
    public var algorithm: String { "ES256" }

    /// Signs; `r` and `s`, 32 bytes each.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the key can't sign.
    public func signature(over message: Data) throws(PushError) -> Data {
        do {
            return try key.signature(for: message).rawRepresentation
        } catch {
            throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
        }
    }
}

// MARK: As JWK

extension ES256PublicKey {
    /// Creates a key from its JWK (RFC 7518 section 6.2.1), if that is for verifying with ES256.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's for something else or has private
    ///   members, `malformed` if the coordinates aren't 32 bytes each or no point of the curve.
    public init(_ jwk: JWK) throws(PushError) {
        try jwk.check(.verify, keyType: "EC", algorithm: "ES256")
        try self.init(coordinatesOf: jwk)
    }

    fileprivate init(coordinatesOf jwk: JWK) throws(PushError) {
        let point = try jwk.point(of: "P-256", byteCount: 32)
        guard let key = try? P256.Signing.PublicKey(rawRepresentation: point) else {
            throw PushError(.malformed, "The JWK isn't a point of P-256.")
        }
        self.init(key)
    }

    /// The key as JWK.
    ///
    /// - Parameter additional: Members to add, such as `kid`, `use` and `alg`.
    /// - Returns: The key.
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    public func jwk(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
        try JWK(members(adding: additional))
    }

    fileprivate func members(adding additional: JSON.Object) -> JSON.Object {
        let point = key.rawRepresentation
        let own: [(String, JSON)] = [
            ("kty", "EC"), ("crv", "P-256"),
            ("x", .string(Base64.encode(point.prefix(32), as: .url))),
            ("y", .string(Base64.encode(point.suffix(32), as: .url))),
        ]
        // Of two members with one name the last wins: the key's own can't be replaced.
        return JSON.Object(own + additional.members + own)
    }
}

extension ES256PrivateKey {
    /// Creates a key from its JWK (RFC 7518 section 6.2.2), if that is for signing with ES256.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's for something else, `malformed` if
    ///   a number isn't 32 bytes or out of range, or the two halves don't belong together.
    public init(privateJWK jwk: JWK) throws(PushError) {
        try jwk.check(.sign, keyType: "EC", algorithm: "ES256")
        try self.init(try jwk.secret("d"))
        let claimed = try ES256PublicKey(coordinatesOf: jwk)
        guard claimed.key.rawRepresentation == key.publicKey.rawRepresentation else {
            throw PushError(.malformed, "The JWK's public half isn't the private one's.")
        }
    }

    /// The key as JWK, with its private half, as text that nothing zeroes.
    ///
    /// - Parameter additional: Members to add, such as `kid`, `use` and `alg`.
    /// - Returns: The key.
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    public func privateJWK(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
        var members = publicKey.members(adding: additional)
        members["d"] = .string(secret.withBytes { Base64.encode($0, as: .url) })
        return try JWK(members)
    }
}
