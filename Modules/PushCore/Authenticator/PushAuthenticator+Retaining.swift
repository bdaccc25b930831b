#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is over is closed, and after a while forgotten.
extension PushAuthenticator {
    /// Closes what expired unanswered, and forgets what has been over for long, and what is left of
    /// removed enrollments. An enrollment that can't be tidied stops none of the others.
    func tidy(_ rows: [LedgerRow], unreadable: [Challenge.ID]) async {
        let ids = Set(rows.map(\.id.enrollment) + unreadable.map(\.enrollment))
        let inOrder = ids.sorted {
            ($0.provider.rawValue, $0.name) < ($1.provider.rawValue, $1.name)
        }
        for id in inOrder where registry[id.provider] != nil {
            do throws(PushError) {
                try await tidy(rows.filter { $0.id.enrollment == id }, of: id)
            } catch {
                report(error.of(id.provider), "What is over couldn't be forgotten.")
            }
        }
    }

    /// Forgets what a process that was killed left of removed enrollments beside their challenges. Only
    /// names are read where nothing is left.
    func forgetWhatIsLeft() async {
        var existing: [ProviderID: Set<Enrollment.ID>] = [:]
        for collection in [Self.ownTokenCollection, Self.inboxCollection, Self.burstCollection] {
            do throws(PushError) {
                let names = try await environment.store.names(in: collection)
                for id in names.compactMap(RecordKey.enrollment(named:))
                where registry[id.provider] != nil {
                    if existing[id.provider] == nil {
                        existing[id.provider] = Set(
                            try await environment.vault(for: id.provider).ids())
                    }
                    if existing[id.provider]?.contains(id) == false { try await tidy([], of: id) }
                }
            } catch {
                report(error, "What is left of an enrollment couldn't be removed.")
            }
        }
    }

    private func tidy(_ rows: [LedgerRow], of id: Enrollment.ID) async throws(PushError) {
        guard let server = try await enrollment(id).map(\.server) else {
            // Asked in another way, as a key store may miss a record once.
            guard try await !environment.vault(for: id.provider).ids().contains(id),
                try await enrollment(id) == nil
            else { return }
            // The process was killed between removing the enrollment and its challenges.
            try await forgetAll(of: id)
            return
        }
        for row in rows where row.state == .open {
            guard let notice = row.announcement?.notice, try await isLate(notice) else { continue }
            _ = try await close(Withdrawal(row.id, .expired))
        }
        try await date(rows, of: id, at: server)
        let over = rows.filter { $0.finished != nil || $0.announcement == nil }
            .sorted { ($0.finished ?? $0.seen, $0.id.name) < ($1.finished ?? $1.seen, $1.id.name) }
        let surplus = over.count - max(0, policies.retention.count)
        for (index, row) in over.enumerated() {
            guard await isForgettable(row, asSurplus: index < surplus, at: server) else { continue }
            try await ledger.remove(row.id) { newest in
                newest.finished == row.finished && newest.state == row.state
            }
        }
    }

    /// Whether a challenge that is over can be forgotten: it must have expired by its server's clock,
    /// lest a replay opens it anew; this device's clock may be set to anything.
    private func isForgettable(
        _ row: LedgerRow, asSurplus isSurplus: Bool, at server: ServerID?
    ) async -> Bool {
        let retention = policies.retention
        guard let end = row.announcement?.notice.expiry ?? row.tombstoneEnd(retention) else {
            // One without an expiry goes for its number, a tombstone once it's dated.
            return isSurplus && row.announcement != nil
        }
        // The end of a tombstone that was dated has its age in it.
        let isDated = row.announcement == nil && row.withdrawal?.expiry == nil
        let reserve = isSurplus || isDated ? retention.skew : max(retention.skew, retention.age)
        return await validity(
            until: end + max(0, reserve.inSeconds), of: row.id.enrollment, at: server) == .expired
    }

    /// Dates the tombstones whose vendor doesn't say until when their challenge could come, as soon as
    /// the server's time is known.
    private func date(
        _ rows: [LedgerRow], of id: Enrollment.ID, at server: ServerID?
    ) async throws(PushError) {
        let clock = environment.clock
        let time = await clock.servers.passed(for: id, at: server, elapsed: clock.elapsed)
        guard let time else { return }
        for row in rows
        where row.announcement == nil && row.withdrawal?.expiry == nil && row.dated == nil {
            try await ledger.date(row.id, at: time)
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
