import HTTPTypes
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// Makes a new key for the realm's default algorithm, and signs with it from now on.
    ///
    /// - Parameter keepsOld: Whether what the old ones signed is still verified (a passive key), or
    ///   the old ones are gone from the realm's key set.
    /// - Throws: `PushError` with the code `invalidArgument` if the system makes no key.
    public func rotateRealmKey(keepingOld keepsOld: Bool = true) throws(PushError) {
        let key = try RealmKey(configuration.algorithm, random: configuration.random)
        keys = [key] + (keepsOld ? keys : [])
    }

    /// The key that the realm signs with: the newest for its default algorithm.
    func activeKey() throws(PushError) -> RealmKey {
        if let key = keys.first(where: { $0.algorithm == configuration.algorithm }) { return key }
        let key = try RealmKey(configuration.algorithm, random: configuration.random)
        keys.insert(key, at: 0)
        return key
    }

    /// The realm's keys as a JWK set. A key for encryption stands among them, as in a realm that
    /// Keycloak set up; here nobody has its other half. That is UNCONFIRMED.
    func keySet() throws(Refusal) -> ServerReply {
        let keys: [JSON]? = try? {
            _ = try activeKey()
            return try self.keys.map { try $0.jwk() }
        }()
        guard let keys else { throw .broken }
        let modulus = configuration.random.bytes(255).withBytes { Data([0xC1]) + Data($0) }
        let encryption: JSON = [
            "kid": .string(
                configuration.random.bytes(32).withBytes {
                    Base64.encode(Data($0), as: .url)
                }),
            "kty": "RSA", "alg": "RSA-OAEP", "use": "enc",
            "n": .string(Base64.encode(modulus, as: .url)), "e": "AQAB",
        ]
        let age = configuration.keysMaxAge.map { "no-transform, max-age=\($0)" } ?? "no-cache"
        return ServerReply(json: ["keys": .array(keys + [encryption])]).with(.cacheControl, age)
    }

    /// Whether a token is what the realm signed.
    func isRealms(_ token: SignedToken) -> Bool {
        keys.contains { key in
            key.keyID == token.header["kid"]?.string && key.algorithm == token.algorithm
                && token.isSigned(by: key.publicKey)
        }
    }

    /// The compact JWT of claims, by the active key.
    func signed(
        _ claims: JSON.Object, spoiledBy fault: BadToken? = nil
    ) throws(PushError) -> String {
        try TokenSigner(key: activeKey(), fault: fault, random: configuration.random)
            .token(of: claims)
    }
}
