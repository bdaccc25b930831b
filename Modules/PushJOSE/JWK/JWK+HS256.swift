package import PushCore

extension HS256Key {
    /// Creates a key from its JWK (RFC 7518 section 6.4), if that is for HS256.
    ///
    /// - Parameters:
    ///   - jwk: The key.
    ///   - purpose: All that it's about to do.
    /// - Throws: `PushError` with the code `untrusted` if it's for something else, `malformed` if
    ///   `k` isn't base64url or is empty.
    package init(_ jwk: JWK, for purpose: JWK.Purpose) throws(PushError) {
        try jwk.check(purpose, keyType: "oct", algorithm: "HS256")
        self.init(try jwk.secret("k"))
    }

    /// The key as JWK, as text that nothing zeroes.
    ///
    /// - Parameter additional: Members to add, such as `kid`, `use` and `alg`.
    /// - Throws: `PushError` with the code `malformed` if an added member has the wrong type.
    package func secretJWK(adding additional: JSON.Object = [:]) throws(PushError) -> JWK {
        let key = secret.withBytes { Base64.encode($0, as: .url) }
        let own: [(String, JSON)] = [("kty", "oct"), ("k", .string(key))]
        return try JWK(JSON.Object(own + additional.members + own))
    }
}
