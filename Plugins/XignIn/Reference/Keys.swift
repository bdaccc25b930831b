import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ES256PublicKey {
    /// Creates a key from both coordinates, 32 bytes each.
    init(point: Data) throws(PushError) {
        guard point.count == 64, let key = try? P256.Signing.PublicKey(rawRepresentation: point)
        else { throw PushError(.malformed, "Not a point of P-256.") }
        self.init(key)
    }

    /// Both coordinates, 32 bytes each.
    var point: Data { key.rawRepresentation }

    /// The name of the key (RFC 7638).
    var thumbprint: String {
        get throws(PushError) { try jwk().thumbprint() }
    }

    /// The key as OXRW/1 writes it.
    var named: JSON {
        get throws(PushError) {
            .object(
                try jwk(adding: [
                    "use": "sig", "alg": "ES256", "kid": .string(try thumbprint),
                ]).members)
        }
    }
}

extension ES256PrivateKey {
    /// Makes a key.
    @concurrent
    static func make(_ random: any RandomSource) async throws(PushError) -> ES256PrivateKey {
        // One number in four billion isn't a key.
        for _ in 0..<8 {
            if let key = try? ES256PrivateKey(random.bytes(32)) { return key }
        }
        throw PushError(.invalidArgument, "The source of random bytes makes no key.")
    }

    /// The key that biometry unlocks, made of what it unlocked. A secret that serves several activations
    /// makes another key for each, so that no manager knows one of another's.
    static func biometric(
        _ secret: Secret, beside deviceKey: ES256PrivateKey
    ) throws(PushError) -> ES256PrivateKey {
        guard secret.count >= 16 else {
            throw PushError(
                .verificationFailed, "The secret that biometry unlocks has less than 16 bytes.")
        }
        let name = Data("OXRW1-BIO\n\(try deviceKey.publicKey.thumbprint)".utf8)
        let number = secret.withBytes {
            HMAC<SHA256>.authenticationCode(for: name, using: SymmetricKey(data: $0))
                .withUnsafeBytes { Secret($0) }
        }
        return try ES256PrivateKey(number)
    }
}

/// The signing keys of a manager, as it tells them.
enum ManagerKeys {
    /// Reads a set of keys, each under its thumbprint.
    ///
    /// - Throws: `PushError` with the code `malformed` if one isn't for ES256, is under another name,
    ///   or the one that has signed them isn't among them.
    static func read(_ claims: Claims) throws(PushError) -> [String: ES256PublicKey] {
        var keys: [String: ES256PublicKey] = [:]
        for value in try claims.object("manager_keys").array("keys") {
            guard let members = value.object else { throw Claims.wrong("keys") }
            let jwk = try JWK(members)
            let key = try ES256PublicKey(jwk)
            let thumbprint = try key.thumbprint
            guard jwk.keyID.map({ $0 == thumbprint }) ?? true else { throw Claims.wrong("kid") }
            keys[thumbprint] = key
        }
        guard let signer = claims.signer, keys[signer] != nil else {
            throw Claims.wrong("manager_keys")
        }
        return keys
    }
}
