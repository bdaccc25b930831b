import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A key the manager signs with, by its thumbprint.
struct ManagerKey {
    let id: String
    let jwk: JSON
    /// The uncompressed point, as invitations carry it.
    let point: Data
    private let key: ES256PrivateKey

    init(_ key: P256.Signing.PrivateKey) {
        self.key = ES256PrivateKey(key)
        point = key.publicKey.x963Representation
        let thumbprint = try? self.key.publicKey.jwk().thumbprint()
        id = thumbprint ?? ""
        let jwk = try? self.key.publicKey.jwk(
            adding: ["use": "sig", "alg": "ES256", "kid": .string(id)])
        self.jwk = .object(jwk?.members ?? [:])
    }

    /// Draws a key.
    init(from random: any RandomSource) {
        while true {
            let bytes = random.bytes(32)
            // All but one number in 2³² is a private key.
            let key = bytes.withBytes { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
            if let key {
                self.init(key)
                return
            }
        }
    }

    /// A signed token. `kid` may name another key, and `typ` another purpose, for bad ones.
    func token(_ claims: JSON, type: String, idm: String, kid: String? = nil) -> String {
        let header: JSON.Object = [
            "alg": "ES256", "typ": .string(type), "kid": .string(kid ?? id), "idm": .string(idm),
        ]
        return (try? key.compactJWS(of: claims.data, header: header)) ?? ""
    }
}

/// Compact tokens that no honest signer makes.
enum Forgery {
    /// Other claims under an old signature.
    static func token(_ token: String, claiming claims: JSON) -> String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[1] = Base64.encode(claims.data, as: .url)
        return parts.joined(separator: ".")
    }

    /// A token without a signature.
    static func unsigned(_ claims: JSON, type: String, idm: String, kid: String) -> String {
        let header: JSON = [
            "alg": "none", "typ": .string(type), "kid": .string(kid), "idm": .string(idm),
        ]
        return Base64.encode(header.data, as: .url) + "." + Base64.encode(claims.data, as: .url)
            + "."
    }
}

/// A device's public key, by its thumbprint.
struct DeviceKey {
    let id: String
    let key: ES256PublicKey

    /// Reads a public JWK; a `kid` in it must be its thumbprint.
    init?(_ json: JSON?) {
        guard let members = json?.object, let jwk = try? JWK(members),
            let id = try? jwk.thumbprint(), jwk.keyID.map({ $0 == id }) ?? true,
            let key = try? ES256PublicKey(jwk)
        else { return nil }
        self.id = id
        self.key = key
    }

    /// The claims of a token of a type that this key signed; `nil` if it didn't.
    func claims(of token: String, type: String) -> JSON.Object? {
        guard let jwt = try? UnverifiedJWT(parsing: token, limits: StrictJSON.limits) else {
            return nil
        }
        return claims(of: jwt, type: type)
    }

    func claims(of jwt: UnverifiedJWT, type: String) -> JSON.Object? {
        guard jwt.unverifiedHeader.type == type, jwt.unverifiedHeader.keyID == id,
            let verified = try? jwt.verified(by: key),
            StrictJSON.isAllowed(.object(verified.claims))
        else { return nil }
        return verified.claims
    }
}

extension Data {
    /// The SHA-256 of bytes, as tokens carry it.
    static func hashText(of bytes: some DataProtocol) -> String {
        Base64.encode(Data(SHA256.hash(data: bytes)), as: .url)
    }
}

extension String {
    /// Whether two texts are the same, in time that doesn't tell where they differ.
    func isEqualInConstantTime(to other: String) -> Bool {
        Secret(utf8).isEqualInConstantTime(to: Secret(other.utf8))
    }
}
