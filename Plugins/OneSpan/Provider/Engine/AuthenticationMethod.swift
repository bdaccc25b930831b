/// How the server wants an answer authenticated (OneSpan, "Authentication methods").
public enum AuthenticationMethod: UInt8, Hashable, Sendable {
    /// No user authentication: the user's decision is enough.
    case none = 0
    /// The password that the user chose at activation.
    case password = 1
    /// A biometric check. The password may stand in for it.
    case biometric = 2
}
