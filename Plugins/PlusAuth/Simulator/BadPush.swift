public import PushCore

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
