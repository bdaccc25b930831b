/// What a change of the password tells its app (OneSpan, "Change password").
public protocol ChangePasswordDelegate: AnyObject, Sendable {
    /// A command must go to the server. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    func onChangePasswordStepComplete(_ command: OrchestrationCommand) async

    /// The password is changed.
    func onChangePasswordSuccess() async

    /// A password can't be used; nothing was sent.
    func onChangePasswordInputError() async

    /// The server says that the old password was wrong.
    ///
    /// - Parameter attemptsLeft: How often the user may try before they are locked; `nil` if
    ///   unknown.
    func onChangePasswordPasswordError(attemptsLeft: Int?) async

    /// The user gave up; nothing was sent.
    func onChangePasswordAborted() async
}
