/// Ends enrollments, and closes what expired unanswered.
struct Housekeeping: Sendable {
    let core: AuthenticatorCore
    let servers: KnownServers
    let challenges: ChallengeLifecycle
    let turns: EnrollmentTurns
    let questions: HintQuestions
    let polling: PollingLoop

    /// Ends an enrollment, with all its challenges.
    func remove(_ id: Enrollment.ID, from place: Enrollment.Removal) async throws(PushError) {
        let provider = try core.provider(id.provider)
        try await turns.turn(of: id) { (turn) async throws(PushError) in
            let result = await Result { () async throws(PushError) in
                try await end(turn, by: provider, at: place)
            }
            // The vendor couldn't be told, but a provider may have wiped the device all the same.
            if case .failure(let error) = result, (try? await core.documents.exists(id)) != false {
                throw error
            }
            await forget(id)
            await core.publish(.removed(id))
            try result.get()
        }
    }

    /// Ends an enrollment at its vendor, as far as that is asked for, and deletes its record. Throws
    /// `malformed` if the vendor couldn't be told because the record is damaged, which is gone then.
    private func end(
        _ turn: EnrollmentTurn, by provider: any PushProvider, at place: Enrollment.Removal
    ) async throws(PushError) {
        let accounts = core.environment.accounts(for: turn.id.provider)
        do throws(PushError) {
            guard let hand = try await turn.handIfAny() else { return }
            // The vendor mustn't end what lives on another device.
            guard hand.document.head.departed == nil else {
                return try await accounts.delete(turn.id)
            }
            return try await provider.enroller.remove(try hand.account(), from: place)
        } catch {
            guard error.code == .malformed, turn.known == nil else { throw error }
            try await provider.enroller.forget(turn.id)
            try await accounts.delete(turn.id)
            guard place == .everywhere, provider.capabilities.contains(.serverRemoval) else {
                return
            }
            throw PushError(
                .malformed,
                "Removed here; what was on record was damaged, so the vendor wasn't told.",
                provider: turn.id.provider, underlying: error)
        }
    }

    /// Forgets what this process knows of an enrollment that is gone.
    private func forget(_ id: Enrollment.ID) async {
        await core.environment.clock.serverTime.forget(id)
        await challenges.forget(id)
        await questions.forget(id)
        await polling.forget(id)
        await servers.noteList(of: id, isRefused: false)
    }

    /// Closes what expired unanswered. What can't be closed is reported.
    func tidy(_ hand: DocumentInHand) async {
        await core.reporting("What is over couldn't be closed.", by: hand.id.provider) {
            () async throws(PushError) in
            for row in core.rows(in: hand, waiting: true) where row.state == .open {
                guard let notice = row.announcement?.notice, try await servers.isLate(notice) else {
                    continue
                }
                _ = try await challenges.close(Withdrawal(row.id, .expired), in: hand)
            }
        }
    }
}
