extension ForgeRockSimulator {
    /// What is wrong with a push that AM itself would never send.
    @nonexhaustive
    public enum BadPush: Hashable, Sendable {
        /// A claim is replaced after signing.
        case tampered(claim: String, value: String)
        /// It is signed with a key of 32 zero bytes.
        case wrongKey
        /// It is signed with the key of another user's first device.
        case signedWithKey(of: String)
        /// Its header says `alg` `none`, and it has no signature.
        case unsigned
        /// It is correctly signed, by HMAC-SHA384.
        case signedWithHS384
        /// Its type `k` is this, correctly signed.
        case type(String)
        /// Its time `i` is so far back that it ended this long ago, correctly signed. The server
        /// still takes an answer.
        case expired(ago: Duration)
        /// Its list of numbers is empty, correctly signed.
        case noNumbers
        /// A claim is missing, correctly signed.
        case missing(claim: String)
        /// It is fine, but arrives twice.
        case repeated
    }
}
