/// What the documented codes don't tell apart.
@nonexhaustive
public enum XignSdkErrorDetail: Hashable, Sendable {
    /// The message is genuine, but the time of its process has run out: drop it silently.
    case messageExpired
    /// There is an activation at the manager already: end it first.
    case alreadyPersonalized
}
