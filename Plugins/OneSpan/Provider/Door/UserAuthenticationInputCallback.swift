public import PushCore

/// What the app calls with what the user entered. The first call counts.
public struct UserAuthenticationInputCallback: Sendable {
    let answer: @Sendable (Result<[Evidence], PushError>) -> Void

    /// The password.
    public func onUserAuthenticationInputSuccess(_ password: Secret) {
        answer(.success([.pin(password)]))
    }

    /// The biometric check passed.
    public func onUserAuthenticationBiometricSuccess() {
        answer(.success([.biometry(nil)]))
    }

    /// The user gave up: the workflow is aborted.
    public func onUserAuthenticationInputAborted() {
        answer(.failure(PushError(.cancelled, "The user gave up.")))
    }
}
