/// Tells what was answered before, for vendors that keep it.
public protocol HistorySource: Sendable {
    /// Challenges that are over, newest first.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment they belonged to.
    ///   - evidence: The user's proofs, where the vendor needs them.
    func history(
        of enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> [Challenge]
}
