import Crypto
import CryptoExtras
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PlusAuthSimulator {
    /// What is wrong with a push that the tenant itself would never send.
    @nonexhaustive
    public enum BadPush: Hashable, Sendable {
        /// A claim is replaced after signing.
        case tampered(claim: String, value: JSON)
        /// It is signed with a key that nobody enrolled.
        ///
        /// For RS256 that is what such a signature looks like: random bytes below the modulus. No
        /// RSA key is made for it.
        case wrongKey
        /// It is signed with the key of another user's first device.
        case signedWithKey(of: String)
        /// Its header says `alg` `none`, and it has no signature.
        case algNone
        /// It is signed by HMAC-SHA256, keyed with the text of the public key's PEM.
        case hs256
        /// It is signed by RSA with the other padding, PSS. Only for an RSA key.
        case pss
        /// Its ECDSA signature is in DER. Only for a key of P-256.
        case derSignature
        /// Its header has one more member, correctly signed.
        case header(String, JSON)
        /// A claim is this instead, correctly signed.
        case claim(String, JSON)
        /// A claim is missing, correctly signed.
        case missing(claim: String)
        /// The answer goes elsewhere, correctly signed. Nothing listens there.
        case foreignResolveURL(String)
        /// It ended this long ago, correctly signed; the server still takes an answer.
        case expired(ago: Duration)
        /// Its claims are those of an acceptance, correctly signed.
        case reflectedAnswer
        /// It is padded by a claim to at least this many characters (up to 2²⁰), correctly signed.
        case padded(to: Int)
        /// It is fine, but arrives twice.
        case duplicatePush
    }
}

/// Signs the context of a push, rightly or as a fault wants it.
struct PushSigner {
    let key: AccountPrivateKey
    let publicKey: AccountPublicKey
    let keyID: String?
    let random: any RandomSource
    let fault: PlusAuthSimulator.BadPush?

    /// The compact JWT of claims.
    func jwt(of claims: JSON.Object) throws(PushError) -> String {
        let signed = "\(encoded(header())).\(encoded(spoiled(claims)))"
        let signature = try signature(over: Data(signed.utf8))
        let text = "\(signed).\(Base64.encode(signature, as: .url))"
        guard case .tampered(let claim, let value) = fault else { return text }
        var claims = claims
        claims[claim] = value
        var parts = text.split(separator: ".").map(String.init)
        parts[1] = encoded(claims)
        return parts.joined(separator: ".")
    }

    private func encoded(_ object: JSON.Object) -> String {
        Base64.encode(JSON.object(object).data, as: .url)
    }

    private func header() -> JSON.Object {
        let algorithm =
            switch fault {
            case .algNone: "none"
            case .hs256: "HS256"
            default: key.algorithm
            }
        var header: JSON.Object = ["alg": .string(algorithm), "typ": "JWT"]
        header["kid"] = keyID.map(JSON.string)
        if case .header(let name, let value) = fault { header[name] = value }
        return header
    }

    private func spoiled(_ claims: JSON.Object) -> JSON.Object {
        var claims = claims
        switch fault {
        case .claim(let name, let value): claims[name] = value
        case .missing(let name): claims[name] = nil
        case .foreignResolveURL(let url): claims["resolve_url"] = .string(url)
        case .expired(let ago):
            guard let expiry = claims["exp"]?.integer, let issued = claims["iat"]?.integer else {
                break
            }
            // Moved back as a whole, so that its length stays right.
            let end = issued - Int64(ago.inSeconds.rounded(.up))
            claims["exp"] = .integer(end)
            claims["iat"] = .integer(end - (expiry - issued))
        case .reflectedAnswer:
            claims = [
                "response": "accepted", "iat": claims["iat"] ?? nil, "exp": claims["exp"] ?? nil,
                "jti": .string(random.uuid().lowercased()),
            ]
        case .padded(let characters):
            claims["padding"] = .string(
                String(repeating: "x", count: min(max(characters, 0), 1 << 20) * 3 / 4))
        default: break
        }
        return claims
    }

    private func signature(over message: Data) throws(PushError) -> Data {
        switch (fault, key) {
        case (.algNone, _): return Data()
        case (.hs256, _):
            return HS256Key(Secret(publicKey.pem.utf8)).signature(over: message)
        case (.pss, .rs256(let key)): return try key.signature(over: message, padding: .PSS)
        case (.derSignature, .es256(let key)):
            let raw = try key.signature(over: message)
            return DER.sequence([raw.prefix(32), raw.suffix(32)])
        case (.pss, _), (.derSignature, _):
            throw PushError(.unsupported, "The device's key can't have this fault.")
        case (.wrongKey, .rs256(let key)):
            return Data([0]) + random.bytes(key.keySizeInBits / 8 - 1).withBytes { Data($0) }
        case (.wrongKey, .es256):
            return try ES256PrivateKey(random.bytes(32)).signature(over: message)
        default: return try key.signature(over: message)
        }
    }
}
