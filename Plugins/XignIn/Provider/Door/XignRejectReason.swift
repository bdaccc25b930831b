/// Why the user says no to a process.
public enum XignRejectReason: String, Hashable, Sendable, Codable {
    /// The user doesn't want to sign in now.
    case userDeclined = "user_declined"
    /// It wasn't the user who asked for the sign-in.
    case notMe = "not_me"
}
