import Crypto
package import PushCore
package import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key that signs an account's answers. It has no way out: see ``ExportableAccountKey``.
package struct AccountSigningKey: Sendable {
    enum Pair: Sendable {
        case rs256(RS256PrivateKey)
        case es256(ES256PrivateKey)
    }

    let pair: Pair

    /// The algorithm it signs with.
    package let algorithm: PlusAuthKeyAlgorithm

    /// Its name, `kid`: the thumbprint of the public half (RFC 7638).
    package let name: String

    /// Makes a new key.
    static func generate(
        _ algorithm: PlusAuthKeyAlgorithm
    ) async throws(PushError) -> AccountSigningKey {
        switch algorithm {
        case .rs256: try AccountSigningKey(.rs256(try await .generate()))
        case .es256: try AccountSigningKey(.es256(ES256PrivateKey(await newP256Key())))
        }
    }

    @concurrent private static func newP256Key() async -> P256.Signing.PrivateKey {
        P256.Signing.PrivateKey()
    }

    init(_ pair: Pair) throws(PushError) {
        self.pair = pair
        switch pair {
        case .rs256(let key):
            algorithm = .rs256
            name = try key.publicJWK().thumbprint()
        case .es256(let key):
            algorithm = .es256
            name = try key.publicKey.jwk().thumbprint()
        }
    }

    /// Reads a key from a credential.
    init(
        _ algorithm: PlusAuthKeyAlgorithm, stored: Secret, name: String
    ) throws(PushError) {
        self.algorithm = algorithm
        self.name = name
        pair =
            switch algorithm {
            case .rs256: .rs256(try RS256PrivateKey(pkcs1: stored))
            case .es256: .es256(try ES256PrivateKey(stored))
            }
    }

    /// The key as a credential keeps it.
    var stored: Secret {
        switch pair {
        case .rs256(let key): key.pkcs1
        case .es256(let key): key.secret
        }
    }

    /// The public half as a credential keeps it.
    var verification: Secret {
        get throws(PushError) {
            switch pair {
            case .rs256(let key): AccountVerificationKey.stored(try key.numbers())
            case .es256(let key): AccountVerificationKey.stored(key.publicKey)
            }
        }
    }

    /// The public half as JWK, with `use`, `alg` and `kid`.
    package var publicJWK: JWK {
        get throws(PushError) {
            switch pair {
            case .rs256(let key): try key.publicJWK(adding: members)
            case .es256(let key): try key.publicKey.jwk(adding: members)
            }
        }
    }

    /// Without `alg` a server's library might choose another algorithm of the key's type; `key_ops`
    /// doesn't stand beside `use` (RFC 7517 section 4.3).
    var members: JSON.Object {
        ["use": "sig", "alg": .string(algorithm.rawValue), "kid": .string(name)]
    }

    /// Signs claims as compact JWS, with `alg`, `typ` and `kid`.
    func signed(_ claims: JSON.Object) throws(PushError) -> String {
        let payload = JSON.object(claims).data
        let header: JSON.Object = [
            "alg": .string(algorithm.rawValue), "typ": "JWT", "kid": .string(name),
        ]
        return switch pair {
        case .rs256(let key): try key.compactJWS(of: payload, header: header)
        case .es256(let key): try key.compactJWS(of: payload, header: header)
        }
    }
}

/// A key pair that was made to be given away: PlusAuth signs challenges with its private half.
///
/// Only such a key has a private JWK, and a credential holds none: the JWK is written once, into
/// the enrollment request. So no key of another vendor, tenant or hardware can get there.
package struct ExportableAccountKey: Sendable {
    /// The same pair, as the key that signs answers.
    package let signingKey: AccountSigningKey

    /// Makes a new pair.
    package static func generate(
        _ algorithm: PlusAuthKeyAlgorithm
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

/// Where the key pair of a new account comes from.
package struct AccountKeySource: Sendable {
    private let make:
        @Sendable (PlusAuthKeyAlgorithm) async throws(PushError) -> ExportableAccountKey

    /// Creates a source, such as one of published pairs.
    ///
    /// - Parameter make: Makes a pair of an algorithm, which no other account has.
    package init(
        _ make:
            @escaping @Sendable (PlusAuthKeyAlgorithm) async throws(PushError) ->
            ExportableAccountKey
    ) {
        self.make = make
    }

    /// A new pair for each account.
    package static let fresh = AccountKeySource { (algorithm) async throws(PushError) in
        try await ExportableAccountKey.generate(algorithm)
    }

    /// The pair of a new account.
    package func key(
        _ algorithm: PlusAuthKeyAlgorithm
    ) async throws(PushError) -> ExportableAccountKey {
        try await make(algorithm)
    }
}
