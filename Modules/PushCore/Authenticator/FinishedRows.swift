#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When rows that are finished can be forgotten: each is opened once in a process, however often it is
/// asked for.
///
/// Nothing opens a finished row again, so what was read of it stays true for as long as its record is
/// there. What another process changes in it all the same is found when it is about to be forgotten.
actor FinishedRows {
    private let core: AuthenticatorCore
    private var known: [Challenge.ID: RowAge] = [:]

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// The ages of rows that the store tells to be finished. One that can't be read is reported, and
    /// left out.
    ///
    /// - Parameter ids: All that there are; what is known of others is forgotten.
    /// - Returns: Their ages, of those that could be read.
    func ages(of ids: [Challenge.ID]) async -> [RowAge] {
        var found: [Challenge.ID: RowAge] = [:]
        for id in ids {
            if let age = known[id] {
                found[id] = age
                continue
            }
            do throws(PushError) {
                let (rows, unreadable) = try await core.ledger.rows(of: [id])
                for row in rows where row.isFinished { found[id] = RowAge(row) }
                for row in unreadable { await core.report(row) }
            } catch {
                await core.report(
                    error.attributed(to: id.enrollment.provider), "A ledger row can't be read.")
            }
        }
        known = found
        return Array(found.values)
    }

    /// Forgets what was read of a row, as it is changed or gone.
    func forget(_ id: Challenge.ID) { known[id] = nil }
}

/// What of a row says when it can be forgotten.
struct RowAge: Sendable {
    let id: Challenge.ID
    let seen: Date
    let finished: Date?
    let state: ChallengeRecord.State
    let isAnnounced: Bool

    /// When its challenge expires, if its announcement said so.
    let expiry: Date?

    /// Until when one that was withdrawn may yet be announced, if the vendor said so.
    let lastMoment: Date?
    let dated: Date?

    init(_ row: LedgerRow) {
        id = row.id
        seen = row.seen
        finished = row.finished
        state = row.state
        isAnnounced = row.announcement != nil
        expiry = row.announcement?.notice.expiry
        lastMoment = row.withdrawal?.expiry
        dated = row.dated
    }

    /// The moment until which a challenge that was never announced may yet come; `nil` for one that
    /// was announced, or if that isn't known.
    ///
    /// The vendor says when, or nobody does: then it's as long as anything is remembered.
    func tombstoneEnd(_ retention: Retention) -> Date? {
        guard !isAnnounced else { return nil }
        return lastMoment ?? dated.map { $0 + max(0, retention.age.inSeconds) }
    }
}
