/// The challenges that are open on this device, as far as this process has seen: how often a vendor is
/// polled goes by it. The documents judge.
struct OpenChallengeIndex {
    private var ids: [Enrollment.ID: Set<Challenge.ID>] = [:]

    /// Whom each enrollment's vendor was asked about last.
    private var lastAsked: [Enrollment.ID: String] = [:]

    /// Learns from a row.
    mutating func note(_ row: LedgerRow) {
        if row.state == .open, row.announcement != nil { insert(row.id) } else { remove(row.id) }
    }

    /// Learns all that is open of an enrollment.
    mutating func replace(_ open: [Challenge.ID], of id: Enrollment.ID) { ids[id] = Set(open) }

    /// Learns of a challenge that is open again.
    mutating func insert(_ id: Challenge.ID) { ids[id.enrollment, default: []].insert(id) }

    /// Forgets a challenge that is no longer open.
    mutating func remove(_ id: Challenge.ID) { ids[id.enrollment]?.remove(id) }

    /// Forgets an enrollment.
    mutating func removeAll(of enrollment: Enrollment.ID) {
        ids[enrollment] = nil
        lastAsked[enrollment] = nil
    }

    /// Whether an enrollment has any.
    func has(_ enrollment: Enrollment.ID) -> Bool { ids[enrollment]?.isEmpty == false }

    /// Those of one enrollment's whose turn it is to be asked about: each gets its turn, however many
    /// others the vendor says nothing of.
    ///
    /// - Parameters:
    ///   - all: The challenges, in a defined order.
    ///   - count: How many at the most.
    /// - Returns: Those, in the order in which they are asked about.
    mutating func next(of all: [Challenge.ID], most count: Int) -> [Challenge.ID] {
        guard let enrollment = all.first?.enrollment else { return [] }
        let last = lastAsked[enrollment]
        let start = last.flatMap { last in all.firstIndex { $0.name > last } } ?? 0
        let next = (all[start...] + all[..<start]).prefix(count)
        lastAsked[enrollment] = next.last?.name
        return Array(next)
    }
}
