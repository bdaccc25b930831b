package import PushCore
package import PushJOSE

/// A key pair that was made to be given away: PlusAuth signs challenges with its private half.
///
/// Only such a key has a private JWK, and a credential holds none: the JWK is written once, into
/// the enrollment request. So no key of another vendor, tenant or hardware can get there.
package struct ExportableAccountKey: Sendable {
    /// The same pair, as the key that signs answers.
    package let signingKey: AccountSigningKey

    /// Makes a new pair.
    package static func generate(
        _ algorithm: PlusAuth.KeyAlgorithm
    ) async throws(PushError) -> ExportableAccountKey {
        ExportableAccountKey(try await .generate(algorithm))
    }

    private init(_ signingKey: AccountSigningKey) {
        self.signingKey = signingKey
    }

    /// Creates a pair from the private JWK of an RS256 or ES256 key.
    ///
    /// - Throws: `PushError`, as the two key types do.
    package init(privateJWK jwk: JWK) throws(PushError) {
        let isRSA = jwk.keyType == "RSA"
        signingKey = try AccountSigningKey(
            isRSA
                ? .rs256(try RS256PrivateKey(privateJWK: jwk))
                : .es256(try ES256PrivateKey(privateJWK: jwk)))
    }

    /// The private JWK, as text that nothing zeroes.
    package func privateJWK() throws(PushError) -> JWK {
        switch signingKey.pair {
        case .rs256(let key): try key.privateJWK(adding: signingKey.members)
        case .es256(let key): try key.privateJWK(adding: signingKey.members)
        }
    }
}
