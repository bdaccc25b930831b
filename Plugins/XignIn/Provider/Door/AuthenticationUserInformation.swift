/// What the user agreed to, for ``XignAuthenticator/finishAuthentication(userInfo:)``.
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
