/// What came of finishing an authentication.
///
/// The documentation has more cases, for processes that no push starts.
@nonexhaustive
public enum AuthenticationResult: Sendable {
    /// The user is signed in.
    case userLogin
    /// A factor was wrong. The process goes on, unless ``LockoutInformation/isPermanent``: finish it
    /// again with the same value.
    case lockout(LockoutInformation, AuthenticationUserInformation)
}
