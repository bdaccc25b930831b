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
        let signing: [JSON]? = try? {
            _ = try activeKey()
            return try keys.map { try $0.jwk() }
        }()
        guard let signing else { throw .broken }
        let encryption = encryptionKey ?? newEncryptionKey()
        encryptionKey = encryption
        let age = configuration.keysMaxAge.map { "no-transform, max-age=\($0)" } ?? "no-cache"
        return ServerReply(json: ["keys": .array(signing + [encryption])])
            .with(.cacheControl, age)
    }

    private func newEncryptionKey() -> JSON {
        let base64url = { (bytes: UnsafeRawBufferPointer) in Base64.encode(Data(bytes), as: .url) }
        return [
            "kid": .string(configuration.random.bytes(32).withBytes(base64url)),
            "kty": "RSA", "alg": "RSA-OAEP", "use": "enc",
            "n": .string(configuration.random.bytes(256).withBytes(base64url)), "e": "AQAB",
        ]
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
