public import PushCore

extension PowerAuthSimulator {
    /// What is wrong with an answer, while the server has done what it was asked.
    ///
    /// Only ``refusal(status:code:)`` keeps the server from it.
    @nonexhaustive
    public enum BadAnswer: Hashable, Sendable {
        /// The call is refused before it is looked at.
        case refusal(status: Int, code: String)
        /// A member is replaced, or missing if `nil`, where it counts: a claim of a temporary key
        /// before it is signed, the innermost plaintext of an envelope before it is encrypted,
        /// else the response object.
        case replaced(member: String, value: JSON?)
        /// One bit is wrong: in the signature of a temporary key, the code of an envelope or the
        /// status blob. Other answers stay as they are.
        case tampered
        /// A temporary key is signed, or an envelope sealed, with keys that nobody has.
        case wrongKey
        /// A temporary key's header says `alg` `none`, and there is no signature.
        case unsigned
        /// The status blob is random, as that of an unknown activation.
        case randomBlob
    }

    /// What is wrong or unusual about an operation's first pushes; the operation is genuine.
    @nonexhaustive
    public enum BadPush: Hashable, Sendable {
        /// An extra is missing.
        case missing(extra: String)
        /// An extra is replaced, or added.
        case replaced(extra: String, value: JSON)
        /// They arrive twice.
        case repeated
        /// The back office cancels at once, and that message arrives first.
        case withdrawnFirst
        /// They don't arrive.
        case lost
    }
}
