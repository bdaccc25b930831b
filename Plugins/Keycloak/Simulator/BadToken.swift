import Crypto
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// What is wrong with an enrollment token or a confirm token that the realm itself would never
    /// make.
    @nonexhaustive
    public enum BadToken: Hashable, Sendable {
        /// A claim is this instead, or there in addition; the signature is the genuine's.
        case tampered(claim: String, value: JSON)
        /// It is signed by another key, under the `kid` of the realm's.
        case wrongKey
        /// It is signed by another key, under a `kid` that the realm's key set doesn't have.
        case unknownKey
        /// Its header says `alg` `none`, and it has no signature.
        case algNone
        /// It is signed by HMAC-SHA256, keyed with the text of the public key's PEM.
        case hs256
        /// Its signature is in DER; for an RSA key it has the other padding, PSS.
        case signatureInAnotherForm
        /// Its signature lacks its last bytes.
        case cutSignature
        /// Its header has one more member, or another value of it, correctly signed.
        case header(String, JSON)
        /// A claim is this instead, or there in addition, correctly signed.
        case claim(String, JSON)
        /// A claim is missing, correctly signed.
        case missing(claim: String)
        /// It ended this long ago, correctly signed; the server still takes an answer.
        case expired(ago: Duration)
        /// It has the claims of the other kind: a push brings those of an enrollment, a code those
        /// of a challenge, correctly signed.
        case otherKind
        /// A claim pads it to at least this many characters (up to 2²⁰), correctly signed.
        case padded(to: Int)
        /// It is fine, but its push arrives twice.
        case repeated
    }
}

/// Writes and signs a realm's tokens, rightly or as a fault wants it.
struct TokenSigner {
    let key: KeycloakSimulator.RealmKey
    let fault: KeycloakSimulator.BadToken?
    let random: any RandomSource

    /// The compact JWT of claims.
    func token(of claims: JSON.Object) throws(PushError) -> String {
        let header = encoded(header())
        let signed = "\(header).\(encoded(spoiled(claims)))"
        let signature = try signature(over: Data(signed.utf8))
        let end = "." + Base64.encode(signature, as: .url)
        guard case .tampered(let claim, let value) = fault else { return signed + end }
        var claims = claims
        claims[claim] = value
        return "\(header).\(encoded(claims))" + end
    }

    private func encoded(_ object: JSON.Object) -> String {
        Base64.encode(JSON.object(object).data, as: .url)
    }

    private func header() -> JSON.Object {
        let algorithm =
            switch fault {
            case .algNone: "none"
            case .hs256: "HS256"
            default: key.algorithm.rawValue
            }
        let unknown = random.bytes(32).withBytes { Base64.encode(Data($0), as: .url) }
        var header: JSON.Object = [
            "alg": .string(algorithm), "typ": "JWT",
            "kid": .string(fault == .unknownKey ? unknown : key.keyID),
        ]
        if case .header(let name, let value) = fault { header[name] = value }
        return header
    }

    private func spoiled(_ claims: JSON.Object) -> JSON.Object {
        var claims = claims
        switch fault {
        case .claim(let name, let value): claims[name] = value
        case .missing(let name): claims[name] = nil
        case .expired(let ago):
            guard let expiry = claims["exp"]?.integer, let issued = claims["iat"]?.integer else {
                break
            }
            // Moved back as a whole, so that its length stays right.
            let end = issued - Int64(ago.inSeconds.rounded(.up))
            claims["exp"] = .integer(end)
            claims["iat"] = .integer(end - (expiry - issued))
        case .padded(let characters):
            claims["padding"] = .string(
                String(repeating: "x", count: min(max(characters, 0), 1 << 20) * 3 / 4))
        default: break
        }
        return claims
    }

    private func signature(over message: Data) throws(PushError) -> Data {
        switch fault {
        case .algNone: return Data()
        case .wrongKey, .unknownKey:
            // What a signature of RSA looks like: bytes below a modulus. No pair is made for it.
            guard key.algorithm.curve != nil else {
                return Data([0]) + random.bytes(255).withBytes { Data($0) }
            }
            return try KeycloakSimulator.RealmKey(key.algorithm, random: random)
                .signature(over: message)
        case .hs256:
            let key = SymmetricKey(data: Data(key.pem.utf8))
            return Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .signatureInAnotherForm: return try key.signatureInAnotherForm(over: message)
        case .cutSignature: return try key.signature(over: message).dropLast(5)
        default: return try key.signature(over: message)
        }
    }
}
