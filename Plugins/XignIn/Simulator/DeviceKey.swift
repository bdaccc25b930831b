import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
