/// The app's way to prove the user: its PIN field, its biometric prompt.
public protocol UserVerifier: Sendable {
    /// Verifies the user.
    ///
    /// - Returns: Proofs that satisfy one of the request's alternatives.
    /// - Throws: ``PushError`` with the code `cancelled` if the user gave up, `verificationFailed`
    ///   if the check failed.
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence]
}
