public import PushCore

extension XignInSimulator {
    /// What is wrong with an answer to a device.
    ///
    /// All but ``refusal(status:error:)`` are answers to a request that was processed. Losing,
    /// delaying and repeating answers is the transport's part.
    @nonexhaustive
    public enum BadAnswer: Hashable, Sendable {
        /// It is plain JSON instead of a signed token.
        case unsigned
        /// It is signed with another key, and names the manager's.
        case wrongKey
        /// It is signed with another key, and names that.
        case unknownKey
        /// A member of `data` is replaced after signing.
        case tampered(member: String, value: JSON)
        /// A member of `data` is replaced before signing, such as the service at start.
        case replaced(member: String, value: JSON)
        /// The claim `req` is this.
        case request(String)
        /// The claim `st` is this, and the HTTP status stays.
        case claimedStatus(Int)
        /// The HTTP status is this, and the claim `st` stays.
        case status(Int)
        /// Header and claims name another manager.
        case manager(String)
        /// The claim `aud` is this.
        case audience(String)
        /// The header's `typ` is this.
        case type(String)
        /// The request isn't processed; a signed refusal answers it.
        case refusal(status: Int, error: String)
    }

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
