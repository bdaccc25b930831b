public import PushCore

/// Stands in for the user where there is none to ask, as in an extension: it verifies nothing.
public struct NobodyToAsk: UserVerifier {
    /// Creates a verifier that always refuses.
    public init() {}

    /// Refuses.
    ///
    /// - Throws: `PushError` with the code `verificationFailed`.
    public func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        throw PushError(.verificationFailed, "There is nobody to ask here.")
    }
}
