import Crypto
package import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ES256PublicKey {
    /// Creates a key from its JWK (RFC 7518 section 6.2.1), if that is for verifying with ES256.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's for something else or has private
    ///   members, `malformed` if the coordinates aren't 32 bytes each or no point of the curve.
    package init(_ jwk: JWK) throws(PushError) {
        try jwk.check(.verify, keyType: "EC", algorithm: "ES256")
        try self.init(coordinatesOf: jwk)
    }

    fileprivate init(coordinatesOf jwk: JWK) throws(PushError) {
        guard try jwk.members.text("crv") == "P-256" else {
            throw PushError(.untrusted, "The JWK's crv isn't P-256.")
        }
        let x = try jwk.bytes("x")
        let y = try jwk.bytes("y")
        guard x.count == 32, y.count == 32,
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { throw PushError(.malformed, "The JWK isn't a point of P-256.") }
        self.init(key)
    }

    /// The key as JWK.
    ///
    /// - Parameter additional: Members to add, such as `kid`, `use` and `alg`.
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    package func jwk(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
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
    package init(privateJWK jwk: JWK) throws(PushError) {
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
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    package func privateJWK(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
        var members = publicKey.members(adding: additional)
        members["d"] = .string(Base64.encode(key.rawRepresentation, as: .url))
        return try JWK(members)
    }
}
