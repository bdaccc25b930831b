public import PushCore

/// What a change of the password needs (OneSpan, "Change password").
public struct ChangePasswordParameters: Sendable {
    /// The activated user.
    let orchestrationUser: OrchestrationUser

    let delegate: any ChangePasswordDelegate

    /// Creates the parameters.
    ///
    /// - Parameters:
    ///   - orchestrationUser: The activated user.
    ///   - delegate: What carries the command, and hears what came of it.
    public init(
        orchestrationUser: OrchestrationUser, delegate: any ChangePasswordDelegate
    ) {
        self.orchestrationUser = orchestrationUser
        self.delegate = delegate
    }
}

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

extension OneSpanOrchestrator {
    /// Replaces a user's password: one round trip. Only the server can tell whether the old one is
    /// right.
    ///
    /// It returns when the change is over.
    ///
    /// - Throws: `PushError`: `conflict` (``OneSpanError/workflowInProgress``) if another workflow runs
    ///   with the user, `unknownEnrollment` (``OneSpanError/notActivated``) if the user isn't on this
    ///   device, `storage` if the store fails; nothing is started then.
    public func startChangePassword(
        _ parameters: ChangePasswordParameters
    ) async throws(PushError) {
        let id = try await enrollment(of: parameters.orchestrationUser).id
        let delegate = parameters.delegate
        let outlet = CommandCarrier.Outlet { (command, _) throws(PushError) in
            await delegate.onChangePasswordStepComplete(command)
        }
        try await runAlone(.passwordChange(id), outlet) { await change(id, delegate) }
    }

    private func change(_ id: Enrollment.ID, _ delegate: any ChangePasswordDelegate) async {
        let provider = provider
        do throws(OrchestrationError) {
            // Asked for outside the turn, as users take their time.
            guard let old = try await password(.pin, of: id),
                let new = try await password(.newPIN, of: id)
            else { throw OrchestrationError(.verificationFailed, "A password is missing.") }
            try await inTurn(of: id) { (account) async throws(OrchestrationError) -> Void in
                try await provider.workflows.changePassword(of: account, from: old, to: new)
            }
            await delegate.onChangePasswordSuccess()
        } catch {
            switch (error.code, error.oneSpan) {
            case (_, .passwordRejected(let left)) where error.serverError == nil:
                await delegate.onChangePasswordPasswordError(attemptsLeft: left)
            case (.cancelled, _): await delegate.onChangePasswordAborted()
            case (.verificationFailed, _): await delegate.onChangePasswordInputError()
            default: await report(error)
            }
        }
    }

    /// Asks the user for the old password, or for a new one.
    private func password(
        _ factor: Factor, of id: Enrollment.ID
    ) async throws(OrchestrationError) -> Secret? {
        let request = VerificationRequest(
            .manage(id, "Change password"), alternatives: [[factor]])
        return try await outside { () async throws(PushError) in
            try await provider.environment.verifier.verify(request).pin
        }
    }
}
