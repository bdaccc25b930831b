/// Why something failed, of all that can fail. The vendor's one enumeration isn't published; beyond
/// the first two and the last, the names are ours.
@nonexhaustive
public enum XignSdkErrorCode: Hashable, Sendable {
    /// The manager is not personalized on this device.
    case identityManagerNotPersonalized
    /// The signature of a message doesn't verify.
    case invalidSignature
    /// The process is over: cancelled, expired, or answered.
    case processOver
    /// The manager speaks another version of the protocol.
    case incompatible
    /// A lockout runs.
    case pendingLockout
    /// The device or the user can't supply what the manager asks for.
    case securityInsufficient
    /// The manager wasn't reached, or its answer can't be proved to be its.
    case communication
    /// The user gave up.
    case cancelled
    /// Anything else.
    case unexpectedError
}
