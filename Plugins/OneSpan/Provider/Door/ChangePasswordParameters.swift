/// What a change of the password needs (OneSpan, "Change password").
public struct ChangePasswordParameters: Sendable {
    /// The activated user.
    public let orchestrationUser: OrchestrationUser

    let delegate: any ChangePasswordDelegate

    /// Creates the parameters.
    public init(
        orchestrationUser: OrchestrationUser, delegate: any ChangePasswordDelegate
    ) {
        self.orchestrationUser = orchestrationUser
        self.delegate = delegate
    }
}
