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
