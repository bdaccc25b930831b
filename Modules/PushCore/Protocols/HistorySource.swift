/// Tells what was answered before, for vendors that keep it.
public protocol HistorySource: Sendable {
    /// How the user must be verified before the history is told: alternatives of factors, `[]` for
    /// none, which is the default.
    func verification(for enrollment: Enrollment.ID) async throws(PushError) -> [[Factor]]

    /// Challenges that are over, newest first.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment they belonged to.
    ///   - evidence: The user's proofs, where the vendor needs them.
    func history(
        of enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> [Challenge]
}

extension HistorySource {
    /// Nobody is asked.
    public func verification(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> [[Factor]] {
        []
    }
}
