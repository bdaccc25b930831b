#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is over is closed, and after a while forgotten.
extension PushAuthenticator {
    /// Closes what expired unanswered, and forgets what has been over for long.
    func tidy(_ rows: [LedgerRow]) async throws(PushError) {
        for (id, rows) in Dictionary(grouping: rows, by: \.id.enrollment)
        where registry[id.provider] != nil {
            var old: [LedgerRow] = []
            for row in rows {
                if row.state == .open, let notice = row.announcement?.notice,
                    try await isLate(notice)
                {
                    _ = try await close(Withdrawal(row.id, .expired))
                } else if row.finished != nil || row.state == .open {
                    old.append(row)
                }
            }
            try await forget(old)
        }
    }

    /// Forgets what is over, and what was never answered nor withdrawn and is old.
    private func forget(_ rows: [LedgerRow]) async throws(PushError) {
        let over = rows.filter { $0.finished != nil }.sorted { $0.touched < $1.touched }
        let surplus = over.prefix(max(0, over.count - max(0, policies.retention.count)))
        let old = rows.filter { isForgettable($0, after: policies.retention.age) }
        for row in surplus.filter({ isForgettable($0, after: .zero) }) + old {
            try await ledger.remove(row.id) { newest in
                newest.finished == row.finished && newest.state == row.state
            }
        }
    }

    /// Whether a row has been untouched for long enough, by the device's clock; its challenge must
    /// have expired, lest a replay opens it anew.
    private func isForgettable(_ row: LedgerRow, after age: Duration) -> Bool {
        let now = environment.clock.now
        let skew = policies.retention.skew.inSeconds
        if let expiry = row.announcement?.notice.expiry, expiry + skew > now { return false }
        return row.touched + max(age.inSeconds, skew) < now
    }
}

extension LedgerRow {
    fileprivate var touched: Date { finished ?? seen }
}
