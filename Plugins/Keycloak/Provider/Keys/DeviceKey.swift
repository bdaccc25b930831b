import PushCore
import PushJOSE

/// A private key of this device's, which belongs to one enrollment: ES256, one of the algorithms that
/// the realm takes.
struct DeviceKey: Sendable {
    private let key: ES256PrivateKey

    /// The public half as the realm gets it, with `alg`, `use` and `kid`.
    let jwk: JWK

    /// The key's name (RFC 7638).
    let thumbprint: String

    /// Makes a new key.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the source gives no usable bytes.
    init(from random: any RandomSource) throws(PushError) {
        // Fewer than one in four thousand million draws is no key of the curve.
        for _ in 0..<8 {
            if let key = try? DeviceKey(stored: random.bytes(32)) {
                self = key
                return
            }
        }
        throw PushError(.invalidArgument, "The random bytes make no key.")
    }

    /// Reads a key from its number.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't a key of P-256.
    init(stored: Secret) throws(PushError) {
        key = try ES256PrivateKey(stored)
        let plain = try key.publicKey.jwk()
        thumbprint = try plain.thumbprint()
        jwk = try key.publicKey.jwk(
            adding: ["alg": "ES256", "use": "sig", "kid": .string(thumbprint)])
    }

    /// The key as a credential keeps it.
    var stored: Secret { key.secret }

    /// A JWT (RFC 7519) with these claims.
    func signed(_ claims: JSON.Object) throws(PushError) -> String {
        try key.compactJWS(
            of: JSON.object(claims).data,
            header: ["alg": "ES256", "typ": "JWT", "kid": .string(thumbprint)])
    }

    /// A proof's text.
    func signed(_ proof: DPoPProof) throws(PushError) -> String {
        try proof.signed(by: key, publicKey: jwk)
    }
}
