import Crypto
package import PushCore

extension JWK {
    /// The name that follows from the key itself (RFC 7638): SHA-256, base64url.
    ///
    /// Of a private key it is the public half's; of a shared key (`oct`) it lets guesses of a weak
    /// key be tested.
    ///
    /// - Throws: `PushError` with the code `malformed` if a member is missing or not canonical,
    ///   `unsupported` if `kty` is none of `EC`, `RSA` and `oct`.
    package func thumbprint() throws(PushError) -> String {
        var hashed: [(String, JSON)] = []
        for name in try thumbprintMembers() {
            // Decoding checks that no other text stands for the same key.
            if name != "kty", name != "crv" { _ = try bytes(name) }
            guard let text = try members.text(name) else {
                throw PushError(.malformed, "The JWK has no \(name).")
            }
            hashed.append((name, .string(text)))
        }
        let digest = SHA256.hash(data: JSON.object(JSON.Object(hashed)).utf8)
        return Base64.encode(digest, as: .url)
    }

    /// The required members of the key's type, in lexicographic order (RFC 7638 section 3.2).
    private func thumbprintMembers() throws(PushError) -> [String] {
        switch keyType {
        case "EC": ["crv", "kty", "x", "y"]
        case "RSA": ["e", "kty", "n"]
        case "oct": ["k", "kty"]
        default: throw PushError(.unsupported, "No thumbprint is defined here for this kty.")
        }
    }
}
