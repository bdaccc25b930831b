public import PushCore

/// The app's own password and biometric screens: OneSpan's user authentication override.
public protocol UserAuthenticationCallback: AnyObject, Sendable {
    /// The user is needed.
    ///
    /// - Parameters:
    ///   - type: What they prove themselves with.
    ///   - inputCallback: What to call with what they entered.
    ///   - isEnrollment: Whether they choose a password, rather than enter one.
    func onUserAuthenticationRequired(
        _ type: AuthenticationMethod, _ inputCallback: UserAuthenticationInputCallback,
        isEnrollment: Bool
    ) async

    /// What was entered can't be used; the user is asked again.
    func onUserAuthenticationInputError(_ error: PushError) async
}

extension UserAuthenticationCallback {
    /// Does nothing.
    public func onUserAuthenticationInputError(_ error: PushError) async {}
}
