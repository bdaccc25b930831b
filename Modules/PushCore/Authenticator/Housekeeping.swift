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
    let challenges: Challenges
    let tokens: DeviceTokens
    let turns: EnrollmentTurns
    let brake: BurstBrake
    let inbox: InboxNews
    let questions: HintQuestions
    let polling: PollingLoop

    // MARK: Enrollments that are gone

    /// Ends an enrollment, with all its challenges.
    func remove(_ id: Enrollment.ID, from place: Removal) async throws(PushError) {
        let provider = try core.provider(id.provider)
        try await turns.turn(of: id) { () async throws(PushError) in
            // Before the vendor hears of it: a store that is locked can't forget.
            do throws(PushError) {
                _ = try await servers.enrollment(id)
            } catch {
                guard error.code == .malformed else { throw error }
            }
            let result = await Result { () async throws(PushError) in
                try await provider.enroller.remove(id, from: place)
            }
            do throws(PushError) {
                try await forgetRemoved(id, hasFailed: (try? result.get()) == nil)
            } catch {
                guard case .failure = result else { throw error }
                await core.report(
                    error.of(id.provider), "What is left of an enrollment couldn't be removed.")
            }
            try result.get()
        }
    }

    private func forgetRemoved(
        _ id: Enrollment.ID, hasFailed: Bool
    ) async throws(PushError) {
        // The vendor couldn't be told, but a provider may have wiped the device all the same.
        if hasFailed, try await servers.enrollment(id) != nil { return }
        try await forgetAll(of: id)
        await core.publish(.removed(id))
    }

    /// Forgets what the core keeps of an enrollment that is gone.
    private func forgetAll(of id: Enrollment.ID) async throws(PushError) {
        // First, as an enrollment that is made again under the same name would take it over.
        try await tokens.forget(id)
        try await core.ledger.removeAll(of: id)
        try await brake.forget(id)
        try await inbox.forget(id)
        await core.environment.clock.servers.forget(id)
        await challenges.forget(id)
        await questions.forget(id)
        await polling.forget(id)
    }

    // MARK: What is over

    /// Closes what expired unanswered, and forgets what has been over for long, and what is left of
    /// removed enrollments. An enrollment that can't be tidied stops none of the others.
    func tidy(_ rows: [LedgerRow], unreadable: [Challenge.ID]) async {
        let ids = Set(rows.map(\.id.enrollment) + unreadable.map(\.enrollment))
        let inOrder = ids.sorted {
            ($0.provider.rawValue, $0.name) < ($1.provider.rawValue, $1.name)
        }
        for id in inOrder where core.registry[id.provider] != nil {
            do throws(PushError) {
                try await tidy(rows.filter { $0.id.enrollment == id }, of: id)
            } catch {
                await core.report(error.of(id.provider), "What is over couldn't be forgotten.")
            }
        }
    }

    /// Forgets what a process that was killed left of removed enrollments beside their challenges. Only
    /// names are read where nothing is left.
    func forgetWhatIsLeft() async {
        var existing: [ProviderID: Set<Enrollment.ID>] = [:]
        for collection in [
            DeviceTokens.ownCollection, InboxNews.collection, BurstBrake.collection,
        ] {
            do throws(PushError) {
                let names = try await core.environment.store.names(in: collection)
                for id in names.compactMap(RecordKey.enrollment(named:))
                where core.registry[id.provider] != nil {
                    if existing[id.provider] == nil {
                        existing[id.provider] = Set(
                            try await core.environment.vault(for: id.provider).ids())
                    }
                    if existing[id.provider]?.contains(id) == false { try await tidy([], of: id) }
                }
            } catch {
                await core.report(error, "What is left of an enrollment couldn't be removed.")
            }
        }
    }

    private func tidy(_ rows: [LedgerRow], of id: Enrollment.ID) async throws(PushError) {
        guard let server = try await servers.enrollment(id).map(\.server) else {
            // Asked in another way, as a key store may miss a record once.
            guard try await !core.environment.vault(for: id.provider).ids().contains(id),
                try await servers.enrollment(id) == nil
            else { return }
            // The process was killed between removing the enrollment and its challenges.
            try await forgetAll(of: id)
            return
        }
        for row in rows where row.state == .open {
            guard let notice = row.announcement?.notice, try await servers.isLate(notice) else {
                continue
            }
            _ = try await challenges.close(Withdrawal(row.id, .expired))
        }
        try await date(rows, of: id, at: server)
        let over = rows.filter { $0.finished != nil || $0.announcement == nil }
            .sorted { ($0.finished ?? $0.seen, $0.id.name) < ($1.finished ?? $1.seen, $1.id.name) }
        let surplus = over.count - max(0, core.policies.retention.count)
        for (index, row) in over.enumerated() {
            guard await isForgettable(row, asSurplus: index < surplus, at: server) else { continue }
            try await core.ledger.remove(row.id) { newest in
                newest.finished == row.finished && newest.state == row.state
            }
        }
    }

    /// Whether a challenge that is over can be forgotten: it must have expired by its server's clock,
    /// as a replay would open it again else; this device's clock may be set to anything.
    private func isForgettable(
        _ row: LedgerRow, asSurplus isSurplus: Bool, at server: ServerID?
    ) async -> Bool {
        let retention = core.policies.retention
        guard let end = row.announcement?.notice.expiry ?? row.tombstoneEnd(retention) else {
            // One without an expiry goes for its number, a tombstone once it's dated.
            return isSurplus && row.announcement != nil
        }
        // The end of a tombstone that was dated has its age in it.
        let isDated = row.announcement == nil && row.withdrawal?.expiry == nil
        let reserve = isSurplus || isDated ? retention.skew : max(retention.skew, retention.age)
        return await core.validity(
            until: end + max(0, reserve.inSeconds), of: row.id.enrollment, at: server) == .expired
    }

    /// Dates the tombstones whose vendor doesn't say until when their challenge could come, as soon as
    /// the server's time is known.
    private func date(
        _ rows: [LedgerRow], of id: Enrollment.ID, at server: ServerID?
    ) async throws(PushError) {
        let clock = core.environment.clock
        let time = await clock.servers.passed(for: id, at: server, elapsed: clock.elapsed)
        guard let time else { return }
        for row in rows
        where row.announcement == nil && row.withdrawal?.expiry == nil && row.dated == nil {
            try await core.ledger.date(row.id, at: time)
        }
    }
}

extension LedgerRow {
    /// The moment until which a challenge that was never announced may yet come; `nil` for one that
    /// was announced, or if that isn't known.
    ///
    /// The vendor says when, or nobody does: then it's as long as anything is remembered.
    fileprivate func tombstoneEnd(_ retention: Retention) -> Date? {
        guard announcement == nil else { return nil }
        return withdrawal?.expiry ?? dated.map { $0 + max(0, retention.age.inSeconds) }
    }
}
