/// The challenges that are open on this device, as far as this process knows: the ledger judges.
///
/// It saves reading every row whenever a vendor's list comes.
struct OpenChallenges {
    private var ids: [Enrollment.ID: Set<Challenge.ID>] = [:]

    /// Creates a set from the ledger's rows, beside what was known before.
    init(_ rows: [LedgerRow], and known: OpenChallenges? = nil) {
        ids = known?.ids ?? [:]
        for row in rows { note(row) }
    }

    /// Learns from a row.
    mutating func note(_ row: LedgerRow) {
        if row.state == .open, row.announcement != nil {
            ids[row.id.enrollment, default: []].insert(row.id)
        } else {
            ids[row.id.enrollment]?.remove(row.id)
        }
    }

    /// Forgets a challenge that is no longer open.
    mutating func remove(_ id: Challenge.ID) {
        ids[id.enrollment]?.remove(id)
    }

    /// Those of one enrollment, in a defined order.
    subscript(enrollment: Enrollment.ID) -> [Challenge.ID] {
        (ids[enrollment] ?? []).sorted { $0.name < $1.name }
    }
}
