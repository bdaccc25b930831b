/// Verifies the user: the app's PIN field, or its biometric prompt.
///
/// A class marked `@MainActor`, such as a screen, marks ``verify(_:)`` itself with `@MainActor` as
/// well. Else the compiler takes the method to run on its caller's actor.
public protocol UserVerifier: Sendable {
    /// Verifies the user.
    ///
    /// - Returns: Proofs for one of the request's alternatives.
    /// - Throws: ``PushError`` with the code `cancelled` if the user gave up, `verificationFailed`
    ///   if the check failed.
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence]
}
