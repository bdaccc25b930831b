/// The challenges that are open on this device, as far as this process knows: the ledger judges.
///
/// It saves reading every row whenever a vendor's list comes.
struct OpenChallengeIndex {
    /// Whether the whole ledger was looked through once.
    private(set) var hasSurveyed = false

    private var ids: [Enrollment.ID: Set<Challenge.ID>] = [:]

    /// Whom each enrollment's vendor was asked about last.
    private var lastAsked: [Enrollment.ID: String] = [:]

    /// Learns from all rows of the ledger that aren't finished, beside what came while they were read.
    mutating func survey(_ rows: [LedgerRow]) {
        for row in rows { note(row) }
        hasSurveyed = true
    }

    /// The same from the index of what isn't finished.
    mutating func survey(open ids: [Challenge.ID]) {
        for id in ids { insert(id) }
        hasSurveyed = true
    }

    /// Learns from a row.
    mutating func note(_ row: LedgerRow) {
        if row.state == .open, row.announcement != nil {
            insert(row.id)
        } else {
            remove(row.id)
        }
    }

    /// Learns of a challenge that is open again.
    mutating func insert(_ id: Challenge.ID) {
        ids[id.enrollment, default: []].insert(id)
    }

    /// Forgets a challenge that is no longer open.
    mutating func remove(_ id: Challenge.ID) {
        ids[id.enrollment]?.remove(id)
    }

    /// Forgets an enrollment.
    mutating func removeAll(of enrollment: Enrollment.ID) {
        ids[enrollment] = nil
        lastAsked[enrollment] = nil
    }

    /// Whether an enrollment has any.
    func has(_ enrollment: Enrollment.ID) -> Bool {
        ids[enrollment]?.isEmpty == false
    }

    /// Those of one enrollment, in a defined order.
    subscript(enrollment: Enrollment.ID) -> [Challenge.ID] {
        (ids[enrollment] ?? []).sorted { $0.name < $1.name }
    }

    /// Those of one enrollment that a list lacks and whose turn it is to be asked about: each gets
    /// its turn, however many others the vendor says nothing of.
    mutating func next(
        of enrollment: Enrollment.ID, besides listed: Set<Challenge.ID>, most count: Int
    ) -> [Challenge.ID] {
        let all = self[enrollment].filter { !listed.contains($0) }
        let last = lastAsked[enrollment]
        let start = last.flatMap { last in all.firstIndex { $0.name > last } } ?? 0
        let next = (all[start...] + all[..<start]).prefix(count)
        lastAsked[enrollment] = next.last?.name
        return Array(next)
    }
}
