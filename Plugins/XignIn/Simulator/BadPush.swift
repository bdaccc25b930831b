public import PushCore

extension XignInSimulator {
    /// What is wrong or unusual about the pushes of a login, while the process itself is genuine.
    @nonexhaustive
    public enum BadPush: Hashable, Sendable {
        /// They are signed with another key, and name the manager's.
        case wrongKey
        /// They are signed with another key, and name that.
        case unknownKey
        /// A claim is replaced after signing.
        case tampered(claim: String, value: JSON)
        /// The header says `alg` `none`, and there is no signature.
        case unsigned
        /// The header's `typ` is this, correctly signed.
        case type(String)
        /// The deadline passed this long ago, correctly signed. The manager still takes answers.
        case expired(ago: Duration)
        /// They name another manager, in header and claims, signed by this manager's key.
        case manager(String)
        /// The claim `iss` alone names another manager, correctly signed.
        case issuer(String)
        /// They are meant for another activation, correctly signed.
        case activation(String)
        /// They need at least this version, correctly signed.
        case minimumVersion(String)
        /// The kind of the message is this, correctly signed.
        case message(String)
        /// A claim is missing, correctly signed.
        case missing(claim: String)
        /// They arrive twice.
        case repeated
        /// The service aborts the process at once, and the cancel message arrives first.
        case withdrawnFirst
    }
}
