import Crypto
import CryptoExtras
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
            let end = issued - Int64(ago.seconds.rounded(.up))
            claims["exp"] = .number(JSON.Number(end))
            claims["iat"] = .number(JSON.Number(end - (expiry - issued)))
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
