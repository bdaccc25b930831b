/// Remembers what was verified, whichever way it came: a push, a scan or a vendor's list.
struct ArrivalRecorder: Sendable {
    let core: AuthenticatorCore
    let challenges: ChallengeLifecycle
    let turns: EnrollmentTurns
    let servers: KnownServers
    let burstCounter: BurstCounter
    let polling: PollingLoop

    /// Remembers an announcement.
    ///
    /// - Parameters:
    ///   - announcement: The announcement.
    ///   - known: Its enrollment as it was read just now.
    ///   - isListed: Whether its vendor's list announces it.
    /// - Returns: What the app is told of it.
    /// - Throws: `PushError` with the code `unknownEnrollment` if the enrollment is gone; what the
    ///   ledger and the provider throw.
    func remember(
        _ announcement: Announcement, of known: Enrollment? = nil, isListed: Bool = false
    ) async throws(PushError) -> Reception {
        let notice = announcement.notice
        let enrollment: Enrollment
        // Half an enrollment is read again, as only the first of several messages confirms it.
        if let known, known.state != .pending(.unconfirmed) {
            enrollment = known
        } else {
            enrollment = try await promoted(notice.id.enrollment)
        }
        let (arrival, counting) = try await opened(
            announcement, of: enrollment, isListed: isListed)
        let (row, isNew) = (arrival.row, arrival.isNew)
        await challenges.note(row, isRenewed: arrival.isRenewed)
        if isNew {
            if !core.ledger.isIndexed { try await forgetIfRemoved(notice.id) }
            // A message that comes again says nothing new of the time.
            await learnTime(from: notice, of: enrollment)
        }
        switch row.state {
        case .over(let withdrawal):
            return Reception(kind: .over(withdrawal), isNew: false)
        case .decided(let resolution), .answered(let resolution, _):
            return Reception(
                kind: .answered(row.announcement?.notice ?? notice, resolution), isNew: false)
        case .open:
            let known = row.announcement?.notice ?? notice
            let validity = await core.validity(of: known, at: enrollment.server)
            if validity == .expired, try !core.takesLateAnswers(known.id) {
                return try await challenges.close(Withdrawal(known.id, .expired))
            }
            if isNew { await polling.hurry(enrollment.id) }
            let burst: Int? =
                if let counting {
                    counting.burst
                } else {
                    isNew ? await burstCounter.count(enrollment.id) : nil
                }
            // The app redraws it, and doesn't ring again.
            if arrival.hasOtherWords {
                await core.publish(
                    .received(Reception(kind: .notice(known, validity), isNew: false)))
            }
            return await core.published(.notice(known, validity), isNew: isNew, burst: burst)
        }
    }

    /// Takes a withdrawal, whether or not its challenge came.
    func remember(_ withdrawal: Withdrawal) async throws(PushError) -> Reception {
        _ = try await promoted(withdrawal.id.enrollment)
        return try await challenges.close(withdrawal)
    }

    func remember(_ incompatible: IncompatibleChallenge) async throws(PushError) -> Reception {
        let enrollment = try await promoted(incompatible.id.enrollment)
        guard !incompatible.withdraws else {
            let withdrawal = Withdrawal(incompatible.id, .cancelled, expiry: incompatible.expiry)
            let isNew = try await challenges.closeQuietly(withdrawal)
            return await core.published(.incompatible(incompatible), isNew: isNew)
        }
        let validity = await core.validity(
            until: incompatible.expiry, of: enrollment.id, at: enrollment.server)
        if validity == .expired {
            return try await challenges.close(Withdrawal(incompatible.id, .expired))
        }
        let isNew = try await core.ledger.mention(incompatible.id)
        return await core.published(.incompatible(incompatible), isNew: isNew)
    }

    /// Puts an announcement on record. Where the store makes several changes at once, the row is only
    /// made while its enrollment is there, and is counted by the same trip.
    private func opened(
        _ announcement: Announcement, of enrollment: Enrollment, isListed: Bool
    ) async throws(PushError) -> (arrival: Arrival, counting: BurstCounter.Counting?) {
        let provider = try core.provider(enrollment.id.provider)
        let merge: LedgerRow.Merge = { (known, other) throws(PushError) in
            try provider.merged(known, other)
        }
        guard core.ledger.isIndexed else {
            let arrival = try await core.ledger.open(
                announcement, isListed: isListed, merge: merge)
            return (arrival, nil)
        }
        await burstCounter.learn(enrollment.id)
        let accounts = core.environment.accounts(for: enrollment.id.provider)
        let key = accounts.key(enrollment.id)
        let heldBack = await RecordMemo.current.get()?.heldBack
        // What its provider learned of the message is written with the challenge, which says as much.
        let exists =
            if let heldBack, heldBack.key == key { heldBack.change } else {
                StoreChange.exists(key)
            }
        let validity = await core.validity(of: announcement.notice, at: enrollment.server)
        // What has expired is closed at once, and isn't counted.
        var counting = validity == .expired ? nil : await burstCounter.counting(enrollment.id)
        while true {
            let along = [exists] + (counting.map { [$0.change] } ?? [])
            do throws(PushError) {
                let arrival = try await core.ledger.open(
                    announcement, isListed: isListed, along: along, merge: merge)
                if let counting, arrival.isNew {
                    await burstCounter.note(counting, arrival.alongside.last ?? nil)
                }
                if let first = arrival.alongside.first, case .replace(_, _, let value) = exists {
                    await RecordMemo.current.get()?.noteWritten(value, under: key, as: first)
                }
                return (arrival, arrival.isNew ? counting : nil)
            } catch {
                guard let refusal = error.refusal else { throw error }
                if refusal.index == 0 {
                    guard error.code == .conflict else { throw error }
                    if case .replace = exists { throw PushError.overtaken }
                    throw accounts.unknown
                }
                // Another process counted first, or the count is damaged: it is counted by itself.
                if let refused = counting { await burstCounter.note(refused, nil) }
                counting = nil
            }
        }
    }

    /// Takes a new row back if its enrollment was removed or moved away before it was written.
    private func forgetIfRemoved(_ id: Challenge.ID) async throws(PushError) {
        await RecordMemo.forgetAll()
        do throws(PushError) {
            _ = try await core.account(id.enrollment)
        } catch {
            if error.code == .unknownEnrollment || error.code == .movedAway {
                try await core.ledger.remove(id) { $0.state == .open }
            }
            throw error
        }
    }

    /// A message that an enrollment's key verified confirms an enrollment whose reply was lost.
    private func promoted(_ id: Enrollment.ID) async throws(PushError) -> Enrollment {
        let account = try await core.account(id)
        let enrollment = account.enrollment
        await servers.note(enrollment)
        guard enrollment.state == .pending(.unconfirmed) else { return enrollment }
        // Its confirmation is told at once, so it is written at once.
        try await RecordMemo.writeHeldBack()
        let confirmed = try await account.changeEnrollment { enrollment in
            if enrollment.state == .pending(.unconfirmed) { enrollment.state = .active }
            return enrollment
        }
        await core.publish(.enrollment(confirmed))
        await turns.checkDeviceToken(of: confirmed)
        return confirmed
    }

    private func learnTime(from notice: Notice, of enrollment: Enrollment) async {
        // Of what was fetched only the connection says whose it is; its provider tells what the vendor
        // signed in it.
        guard notice.proof != .fetched, let issued = notice.issued else { return }
        let clock = core.environment.clock
        await clock.serverTime.note(
            issued: issued, for: enrollment.id, at: enrollment.server, now: clock.now,
            elapsed: clock.elapsed)
    }
}
