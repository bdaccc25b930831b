#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Closes what is over, and forgets it after a while. Forgets what is left of removed enrollments,
/// too.
struct Housekeeping: Sendable {
    let core: AuthenticatorCore
    let servers: KnownServers
    let challenges: ChallengeLifecycle
    let tokens: DeviceTokens
    let turns: EnrollmentTurns
    let burstCounter: BurstCounter
    let inbox: InboxNews
    let questions: HintQuestions
    let polling: PollingLoop
    let finishedRows: FinishedRows

    // MARK: Enrollments that are gone

    /// Ends an enrollment, with all its challenges.
    func remove(_ id: Enrollment.ID, from place: Removal) async throws(PushError) {
        let provider = try core.provider(id.provider)
        try await turns.turn(of: id) { () async throws(PushError) in
            // A process that is killed in the middle leaves what another finishes.
            try await core.ledger.index.begin(.removal(id))
            // Before the vendor hears of it: a store that is locked can't forget.
            do throws(PushError) {
                _ = try await servers.enrollment(id)
            } catch {
                guard error.code == .malformed else { throw error }
            }
            let result = await Result { () async throws(PushError) in
                try await end(id, by: provider, at: place)
            }
            do throws(PushError) {
                try await forgetRemoved(id, hasFailed: (try? result.get()) == nil)
            } catch {
                guard case .failure = result else { throw error }
                await core.report(
                    error.attributed(to: id.provider),
                    "What is left of an enrollment couldn't be removed.")
            }
            try result.get()
        }
    }

    /// Ends an enrollment at its vendor, as far as that is asked for, and deletes its record.
    ///
    /// - Throws: What the provider throws; ``PushError`` with the code `malformed` if the vendor
    ///   couldn't be told because the record is damaged, which is gone then.
    private func end(
        _ id: Enrollment.ID, by provider: any PushProvider, at place: Removal
    ) async throws(PushError) {
        let accounts = core.environment.accounts(for: id.provider)
        let account: Account?
        do throws(PushError) {
            account = try await accounts.account(id)
        } catch  where error.code == .movedAway {
            // The vendor mustn't end what lives on another device.
            return try await accounts.delete(id)
        } catch  where error.code == .malformed {
            try await provider.enroller.forget(id)
            try await accounts.delete(id)
            guard place == .everywhere, provider.capabilities.contains(.serverRemoval) else {
                return
            }
            throw PushError(
                .malformed,
                "Removed here; what was on record was damaged, so the vendor wasn't told.",
                provider: id.provider, underlying: error)
        }
        if let account { try await provider.enroller.remove(account, from: place) }
    }

    private func forgetRemoved(
        _ id: Enrollment.ID, hasFailed: Bool
    ) async throws(PushError) {
        // The vendor couldn't be told, but a provider may have wiped the device all the same.
        if hasFailed, try await servers.enrollment(id) != nil {
            return try await core.ledger.index.end(.removal(id))
        }
        try await forgetAll(of: id)
        await core.publish(.removed(id))
    }

    /// Forgets what the core keeps of an enrollment that is gone.
    private func forgetAll(of id: Enrollment.ID) async throws(PushError) {
        // First, as an enrollment that is made again under the same name would take it over.
        try await tokens.forget(id)
        try await core.ledger.removeAll(of: id)
        try await burstCounter.forget(id)
        try await inbox.forget(id)
        await core.environment.clock.serverTime.forget(id)
        await challenges.forget(id)
        await questions.forget(id)
        await polling.forget(id)
        await servers.noteList(of: id, isRefused: false)
        try await core.ledger.index.end(.removal(id))
    }

    // MARK: What is over

    /// Closes what expired unanswered, of what the index names, and finishes removals. An enrollment
    /// that can't be tidied stops none of the others.
    ///
    /// - Parameters:
    ///   - entries: What the index names.
    ///   - needless: Those of them whose rows don't wait for a word.
    func tidy(_ entries: [UnfinishedEntry], needless: Set<Challenge.ID>) async {
        let groups = Dictionary(grouping: entries, by: \.enrollment)
        for id in groups.keys.sorted(by: {
            ($0.provider.rawValue, $0.name) < ($1.provider.rawValue, $1.name)
        }) where core.registry[id.provider] != nil {
            do throws(PushError) {
                try await tidy(groups[id] ?? [], of: id, needless)
            } catch {
                await core.report(
                    error.attributed(to: id.provider), "What is over couldn't be forgotten.")
            }
        }
    }

    private func tidy(
        _ entries: [UnfinishedEntry], of id: Enrollment.ID, _ needless: Set<Challenge.ID>
    ) async throws(PushError) {
        let isNeedless = entries.allSatisfy { entry in
            entry.decidedChallenge.map { !needless.contains($0) } ?? false
        }
        // Its decisions were just delivered, so it is there.
        if isNeedless, await servers.knowsServer(of: id) { return }
        guard let enrollment = try await enrollmentUnlessGone(id) else { return }
        for entry in entries {
            switch entry.matter {
            case .removal:
                // Another process may be about to: who is killed there leaves an entry too many.
                continue
            case .open(let challenge):
                let validity = await core.validity(
                    until: entry.expiry, of: id, at: enrollment.server)
                guard validity == .expired, try !core.takesLateAnswers(challenge) else { continue }
                _ = try await challenges.close(Withdrawal(challenge, .expired))
            case .decided(let challenge) where needless.contains(challenge):
                try await core.ledger.index.dropFinished(challenge)
            case .decided: continue
            }
        }
    }

    /// Closes what expired unanswered, and forgets what has been over for long, and what is left of
    /// removed enrollments. An enrollment that can't be tidied stops none of the others.
    ///
    /// - Parameters:
    ///   - rows: Those that were read.
    ///   - finished: Those that the store tells to be finished.
    ///   - unreadable: Those that can't be read.
    func tidy(
        _ rows: [LedgerRow], finished: [Challenge.ID], unreadable: [Challenge.ID]
    ) async {
        let ages = Dictionary(
            grouping: await finishedRows.ages(of: finished), by: \.id.enrollment)
        let rows = Dictionary(grouping: rows, by: \.id.enrollment)
        let ids = Set(rows.keys).union(finished.map(\.enrollment) + unreadable.map(\.enrollment))
        let inOrder = ids.sorted {
            ($0.provider.rawValue, $0.name) < ($1.provider.rawValue, $1.name)
        }
        for id in inOrder where core.registry[id.provider] != nil {
            do throws(PushError) {
                try await tidy(rows[id] ?? [], ages[id] ?? [], of: id)
            } catch {
                await core.report(
                    error.attributed(to: id.provider), "What is over couldn't be forgotten.")
            }
        }
    }

    /// Forgets what a process that was killed left of removed enrollments beside their challenges. Only
    /// names are read where nothing is left.
    func forgetWhatIsLeft() async {
        var existing: [ProviderID: Set<Enrollment.ID>] = [:]
        for collection in [
            DeviceTokens.ownCollection, InboxNews.collection, BurstCounter.collection,
        ] {
            do throws(PushError) {
                let names = try await core.environment.store.names(in: collection)
                for id in names.compactMap(RecordKey.enrollment(named:))
                where core.registry[id.provider] != nil {
                    if existing[id.provider] == nil {
                        existing[id.provider] = Set(
                            try await core.environment.accounts(for: id.provider).ids())
                    }
                    if existing[id.provider]?.contains(id) == false {
                        try await tidy([], [], of: id)
                    }
                }
            } catch {
                await core.report(error, "What is left of an enrollment couldn't be removed.")
            }
        }
    }

    private func tidy(
        _ rows: [LedgerRow], _ finished: [RowAge], of id: Enrollment.ID
    ) async throws(PushError) {
        guard let enrollment = try await enrollmentUnlessGone(id) else { return }
        for row in rows where row.state == .open {
            guard let notice = row.announcement?.notice, try await servers.isLate(notice) else {
                continue
            }
            _ = try await challenges.close(Withdrawal(row.id, .expired))
        }
        let ages = rows.map(RowAge.init) + finished
        try await date(ages, of: id, at: enrollment.server)
        let over = ages.filter { $0.finished != nil || !$0.isAnnounced }
            .sorted { ($0.finished ?? $0.seen, $0.id.name) < ($1.finished ?? $1.seen, $1.id.name) }
        let surplus = over.count - max(0, core.configuration.retention.count)
        for (index, row) in over.enumerated() {
            guard
                await isForgettable(row, asSurplus: index < surplus, at: enrollment.server)
            else { continue }
            try await core.ledger.remove(row.id) { newest in
                newest.finished == row.finished && newest.state == row.state
            }
            await finishedRows.forget(row.id)
        }
    }

    /// An enrollment; `nil` if it is gone, or can't be found right now. What is left of one that is gone
    /// is forgotten.
    func enrollmentUnlessGone(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        if let enrollment = try await servers.enrollment(id) { return enrollment }
        // Asked in another way, as a key store may miss a record once.
        guard try await !core.environment.accounts(for: id.provider).ids().contains(id),
            try await servers.enrollment(id) == nil
        else { return nil }
        // The process was killed between removing the enrollment and its challenges.
        try await forgetAll(of: id)
        return nil
    }

    /// Whether a challenge that is over can be forgotten: it must have expired by its server's clock,
    /// as a replay would open it again else; this device's clock may be set to anything.
    func isForgettable(
        _ row: RowAge, asSurplus isSurplus: Bool, at server: ServerID?
    ) async -> Bool {
        let retention = core.configuration.retention
        guard let end = row.expiry ?? row.tombstoneEnd(retention) else {
            // One without an expiry goes for its number, a tombstone once it's dated.
            return isSurplus && row.isAnnounced
        }
        // The end of a tombstone that was dated has its age in it.
        let isDated = !row.isAnnounced && row.lastMoment == nil
        let reserve = isSurplus || isDated ? retention.skew : max(retention.skew, retention.age)
        return await core.validity(
            until: end + max(0, reserve.inSeconds), of: row.id.enrollment, at: server) == .expired
    }

    /// Dates the tombstones whose vendor doesn't say until when their challenge could come, as soon as
    /// the server's time is known.
    func date(
        _ rows: [RowAge], of id: Enrollment.ID, at server: ServerID?
    ) async throws(PushError) {
        let clock = core.environment.clock
        let time = await clock.serverTime.passed(for: id, at: server, elapsed: clock.elapsed)
        guard let time else { return }
        for row in rows where !row.isAnnounced && row.lastMoment == nil && row.dated == nil {
            try await core.ledger.date(row.id, at: time)
            await finishedRows.forget(row.id)
        }
    }
}
