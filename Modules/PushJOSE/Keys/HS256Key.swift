public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A shared key for HMAC with SHA-256 (RFC 7518 section 3.2).
///
/// A key of any length is taken as it is. RFC 7518 asks for 32 bytes or more; who gets a shorter
/// one from a vendor finds ``byteCount`` here and decides.
public struct HS256Key: JWSVerificationKey, JWSSigningKey {
    let secret: Secret

    /// Creates a key.
    public init(_ secret: Secret) {
        self.secret = secret
    }

    /// How long the key is, in bytes.
    ///
    /// Anyone can forge for an empty one.
    public var byteCount: Int { secret.count }

    /// `HS256`.
    public var algorithm: String { "HS256" }

    /// Compares in constant time; a truncated code is refused.
    ///
    /// - Throws: `PushError` with the code `untrusted`.
    public func verify(
        _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
    ) throws(PushError) {
        guard FastHMAC.isCode(signature, for: message, key: secret) else {
            throw PushError(.untrusted, "The HS256 authentication code is wrong.")
        }
    }

    /// Makes the authentication code, 32 bytes.
    public func signature(over message: Data) -> Data {
        let code = message.withUnsafeBytes { FastHMAC.code(for: $0, key: secret) }
        return code.withBytes { Data($0) }
    }
}

extension HS256Key {
    /// Creates a key from its JWK (RFC 7518 section 6.4), if that is for HS256.
    ///
    /// - Parameters:
    ///   - jwk: The key.
    ///   - purpose: All that it's about to do.
    /// - Throws: `PushError` with the code `untrusted` if it's for something else, `malformed` if
    ///   `k` isn't base64url or is empty.
    public init(_ jwk: JWK, for purpose: JWK.Purpose) throws(PushError) {
        try jwk.check(purpose, keyType: "oct", algorithm: "HS256")
        self.init(try jwk.secret("k"))
    }

    /// The key as JWK, as text that nothing zeroes.
    ///
    /// - Parameter additional: Members to add, such as `kid`, `use` and `alg`.
    /// - Returns: The key.
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    package func secretJWK(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
        let key = secret.withBytes { Base64.encode($0, as: .url) }
        let own: [(String, JSON)] = [("kty", "oct"), ("k", .string(key))]
        return try JWK(JSON.Object(own + additional.members + own))
    }
}
