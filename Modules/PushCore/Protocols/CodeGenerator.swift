/// Makes one-time codes, for vendors that have them.
public protocol CodeGenerator: Sendable {
    /// The code that is valid now.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment it proves.
    ///   - evidence: The user's proofs, where the vendor needs them.
    func code(
        for enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> Secret
}
