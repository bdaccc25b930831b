import PushCore
import PushJOSE

/// A private key of this device's, which belongs to one enrollment: ES256, one of the algorithms that
/// the realm takes.
struct DeviceKey: Sendable {
    private let key: any JWSSigningKey

    /// The key as a credential keeps it: its number, 32 bytes, or `PE1` and a Secure Enclave's blob.
    let stored: Secret

    /// The public half as the realm gets it, with `alg`, `use` and `kid`.
    let jwk: JWK

    /// The key's name (RFC 7638).
    let thumbprint: String

    private static let enclaveMark = Array("PE1".utf8)

    /// Makes a new key, of random bytes or in the Secure Enclave.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the source gives no usable bytes,
    ///   `unsupported` or `storage` if the enclave makes no key.
    init(from random: any RandomSource, inEnclave: Bool) throws(PushError) {
        if inEnclave {
            let key = try EnclaveES256Key()
            try self.init(
                key, key.publicKey,
                storedAs: Secret(Self.enclaveMark + key.blob.withBytes { Array($0) }))
            return
        }
        // Fewer than one in four thousand million draws is no key of the curve.
        for _ in 0..<8 {
            if let key = try? DeviceKey(stored: random.bytes(32)) {
                self = key
                return
            }
        }
        throw PushError(.invalidArgument, "The random bytes make no key.")
    }

    /// Reads a key as a credential keeps it.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't a key of P-256, or is another
    ///   device's, `unsupported` if it is in a Secure Enclave, and there is none.
    init(stored: Secret) throws(PushError) {
        let isInEnclave =
            stored.count != 32 && stored.withBytes { $0.starts(with: Self.enclaveMark) }
        if isInEnclave {
            let blob = stored.withBytes { Secret($0.dropFirst(Self.enclaveMark.count)) }
            let key = try EnclaveES256Key(blob)
            try self.init(key, key.publicKey, storedAs: stored)
        } else {
            let key = try ES256PrivateKey(stored)
            try self.init(key, key.publicKey, storedAs: stored)
        }
    }

    private init(
        _ key: any JWSSigningKey, _ publicKey: ES256PublicKey, storedAs stored: Secret
    ) throws(PushError) {
        self.key = key
        self.stored = stored
        thumbprint = try publicKey.jwk().thumbprint()
        jwk = try publicKey.jwk(
            adding: ["alg": "ES256", "use": "sig", "kid": .string(thumbprint)])
    }

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
