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

/// What the user agreed to, for ``XignAuthenticator/finishAuthentication(userInfo:)``, and beside
/// `Resolution.approve` as its extras.
///
/// Without it, `Resolution.approve` takes the only role, and releases exactly the required attributes.
public struct AuthenticationUserInformation: Sendable {
    /// What the manager asked.
    public let request: AuthenticateRequest

    /// The identifier of the role; `nil` for the only one.
    public var role: String?

    /// The names of the attributes to release; `nil` for exactly the required ones.
    public var attributes: Set<String>?

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - request: What the manager asked.
    ///   - role: The identifier of the role that the user chose; `nil` for the only one.
    ///   - attributes: What the user releases, with all that is required; `nil` for exactly that.
    public init(
        for request: AuthenticateRequest, role: String? = nil, attributes: Set<String>? = nil
    ) {
        self.request = request
        self.role = role
        self.attributes = attributes
    }
}

/// What a manager says about wrong factors. It counts them for each activation.
///
/// Of a try that was wrong the process goes on; a lockout that runs already has ended the process.
public struct LockoutInformation: Hashable, Sendable {
    /// How long the lockout lasts, in seconds; 0 if there is none.
    public let seconds: Int

    /// How many more tries there are; `nil` if the manager doesn't say.
    public let remaining: Int?

    /// Whether only a new activation helps.
    public let isPermanent: Bool

    /// Creates a value.
    public init(seconds: Int, remaining: Int?, isPermanent: Bool) {
        self.seconds = seconds
        self.remaining = remaining
        self.isPermanent = isPermanent
    }
}
