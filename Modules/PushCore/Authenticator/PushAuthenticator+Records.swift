#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PushAuthenticator {
    /// What the ledger knows of the challenges of one enrollment, or of all, newest first.
    public func records(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> [ChallengeRecord] {
        try await ledgerSurvey(of: enrollment).rows
            .compactMap { row in
                row.announcement.map { ChallengeRecord(notice: $0.notice, state: row.state) }
            }
            .sorted {
                ($0.notice.issued ?? $0.notice.expiry ?? .distantPast, $0.id.name)
                    > ($1.notice.issued ?? $1.notice.expiry ?? .distantPast, $1.id.name)
            }
    }

    /// The rows that can be read, and those that can't: they are reported, and stop none of the
    /// others.
    func ledgerSurvey(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> (rows: [LedgerRow], unreadable: [Challenge.ID]) {
        let (rows, unreadable) = try await ledger.survey(of: enrollment)
        for row in unreadable { report(row) }
        return (rows, unreadable.map(\.id))
    }

    /// Tells of a row that can't be read.
    func report(_ row: UnreadableRow) {
        if row.error.code == .malformed {
            report(damaged: .challenge, "A ledger row is damaged.", of: row.id.enrollment)
        } else {
            report(
                row.error.of(row.id.enrollment.provider),
                "A ledger row has another form than this version reads.")
        }
    }

    /// What the ledger knows of a challenge; `nil` if it was never announced.
    public func record(of id: Challenge.ID) async throws(PushError) -> ChallengeRecord? {
        guard let row = try await ledger.row(id), let announcement = row.announcement else {
            return nil
        }
        return ChallengeRecord(notice: announcement.notice, state: row.state)
    }

    /// The revision of every record that the core and its providers keep, so that a conformance
    /// check can tell whether anything was written.
    package func revisions() async throws(PushError) -> [RecordKey: Revision] {
        let collections =
            [
                Ledger.collection, Self.tokenCollection, Self.ownTokenCollection,
                Self.burstCollection, Self.inboxCollection, Self.sealKey.collection,
            ]
            + registry.ids.flatMap {
                [environment.vault(for: $0).collection, Claim.collection(of: $0)]
            } + [Vault.installationCollection]
        var revisions: [RecordKey: Revision] = [:]
        for collection in collections {
            for name in try await environment.store.names(in: collection) {
                let key = RecordKey(collection, name)
                revisions[key] = try await environment.store.read(key)?.revision
            }
        }
        return revisions
    }

    /// What announced a challenge, for a vendor's door: only its plugin can read the context.
    public func announcement(of id: Challenge.ID) async throws(PushError) -> Announcement {
        try await ledger.announced(id).announcement
    }
}
