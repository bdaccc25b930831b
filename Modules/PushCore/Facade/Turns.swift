/// Turns, for vendors' doors that make exchanges of their own.
extension PushAuthenticator {
    /// Runs a function in an enrollment's turn: one exchange at a time for each enrollment.
    ///
    /// It is for a vendor's door that makes exchanges of its own. Don't call the authenticator from
    /// `body`: it would wait for itself.
    ///
    /// If `body` throws `unknownEnrollment`, or makes the enrollment's state
    /// ``Enrollment/State/needsReenrollment``, the enrollment's open challenges are closed.
    ///
    /// - Throws: What `body` throws, with the enrollment's provider if it names none.
    public func turn<Value: Sendable>(
        of enrollment: Enrollment.ID, _ body: (Account) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await turns.turn(of: enrollment) { (turn) async throws(PushError) -> Value in
            try await body(try await turn.account())
        }
    }

    /// Runs a function in the turn of a challenge's enrollment, for a vendor's door that opens the
    /// challenge in steps of its own. Like ``challenge(_:)``, it closes the challenge if the error
    /// has ``PushError/ends``. Don't call the authenticator from `body`: it would wait for itself.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - body: Gets the challenge's announcement, and its enrollment.
    /// - Returns: What `body` returns.
    /// - Throws: ``PushError`` with the code `over` if the challenge can't be opened any more,
    ///   `notFound` if the ledger doesn't know it, `storage` or `malformed` if its record can't be
    ///   read, or what `body` throws, with the enrollment's provider if it names none.
    public func turn<Value: Sendable>(
        of challenge: Challenge.ID,
        _ body: (Announcement, Account) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await turns.turn(of: challenge.enrollment) { (turn) async throws(PushError) -> Value in
            guard let hand = try await turn.handIfAny() else { throw core.notFound(challenge) }
            let announcement = try await challenges.openable(challenge, in: hand)
            do throws(PushError) {
                return try await body(announcement, try hand.account())
            } catch {
                await challenges.closeWhatEnds(challenge, error, in: hand)
                throw error
            }
        }
    }
}
