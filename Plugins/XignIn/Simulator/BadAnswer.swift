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
}
