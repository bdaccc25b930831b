/// Where a challenge stands, as the user is shown it.
package enum ChallengeState: Sendable {
    /// The ledger doesn't know the challenge.
    case unknown
    /// A message about it came that only a newer version understands.
    case notUnderstood
    /// It waits for the user: what its announcement would give now, and its enrollment's state.
    case open(Reception, Enrollment.State)
    /// The user decided, and the vendor's word isn't known.
    case decided
    /// The user decided, and this is the vendor's word.
    case answered(Outcome)
    /// It is over, or its time has run out at a vendor that takes no late answer.
    case over(Withdrawal)
}

/// What notifications go by.
extension PushAuthenticator {
    /// Where a challenge stands now.
    ///
    /// - Throws: ``PushError`` with the code `storage`, `malformed` or `unsupportedRecord` if the
    ///   ledger can't be read, `notFound` if the challenge's plugin isn't linked.
    package func state(of id: Challenge.ID) async throws(PushError) -> ChallengeState {
        guard let hand = try await core.documents.read(id.enrollment),
            case .row(let row) = try hand.known(id)
        else { return .unknown }
        switch row.state {
        case .over(let withdrawal): return .over(withdrawal)
        case .decided: return .decided
        case .answered(_, let outcome): return .answered(outcome)
        case .open:
            guard let notice = row.announcement?.notice else { return .notUnderstood }
            let enrollment = hand.enrollment
            let validity = await core.validity(of: notice, at: enrollment.server)
            if validity == .expired, try !core.takesLateAnswers(id) {
                return .over(Withdrawal(id, .expired))
            }
            let reception = core.reception(
                of: .notice(notice, validity), isNew: true, burst: core.burst(in: hand))
            return .open(reception, enrollment.state)
        }
    }

    /// Runs a function in the turn of a challenge's notification: one at a time shows it.
    ///
    /// - Throws: What `body` throws.
    package func turn(
        ofNotification id: Challenge.ID, _ body: () async throws(PushError) -> Void
    ) async throws(PushError) {
        try await core.turns.turn(.notification(id), body)
    }

    /// Whether a linked plugin knows a message's form. That proves nothing.
    package nonisolated func knows(_ message: PushMessage) -> Bool { core.registry.knows(message) }

    /// The world around it.
    package nonisolated var environment: PushEnvironment { core.environment }
}
