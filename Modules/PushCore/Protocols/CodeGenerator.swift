/// Makes one-time codes, for vendors that have them.
public protocol CodeGenerator: Sendable {
    /// How the user must be verified before a code is made: alternatives of factors, `[]` for
    /// none, which is the default.
    func verification(for enrollment: Enrollment.ID) async throws(PushError) -> [[Factor]]

    /// The code that is valid now.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment it proves.
    ///   - evidence: The user's proofs, where the vendor needs them.
    /// - Throws: ``PushError`` with the code `blocked` if the enrollment may make none now.
    func code(
        for enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode
}

extension CodeGenerator {
    /// Nobody is asked.
    public func verification(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> [[Factor]] {
        []
    }
}
