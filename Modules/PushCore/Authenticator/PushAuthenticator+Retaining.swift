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
            var over: [LedgerRow] = []
            for row in rows {
                guard let notice = row.announcement?.notice, row.state == .open else {
                    if row.finished != nil { over.append(row) }
                    continue
                }
                if try await isLate(notice) {
                    _ = try await close(Withdrawal(row.id, .expired))
                } else if isForgettable(row, after: policies.retention.age) {
                    over.append(row)
                }
            }
            try await forget(over)
        }
    }

    private func forget(_ over: [LedgerRow]) async throws(PushError) {
        let oldestFirst = over.sorted { ($0.finished ?? $0.seen) < ($1.finished ?? $1.seen) }
        let surplus = oldestFirst.count - policies.retention.count
        for (index, row) in oldestFirst.enumerated() {
            let isSurplus = index < surplus && isForgettable(row, after: .zero)
            guard isSurplus || isForgettable(row, after: policies.retention.age) else { continue }
            try await ledger.remove(row.id) { newest in
                newest.finished == row.finished && newest.state == row.state
            }
        }
    }

    /// Whether a row has been over for long enough, by the device's clock; its challenge must have
    /// expired, lest a replay opens it anew.
    private func isForgettable(_ row: LedgerRow, after age: Duration) -> Bool {
        let now = environment.clock.now
        let skew = policies.retention.skew.inSeconds
        if let expiry = row.announcement?.notice.expiry, expiry + skew > now { return false }
        return (row.finished ?? row.seen) + max(age.inSeconds, 0) < now
    }
}
