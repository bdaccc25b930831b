/// The record of every challenge this device has seen: one row each, changed by compare-and-set.
struct Ledger: Sendable {
    static let collection = "challenge"

    private let store: any CredentialStore

    init(store: any CredentialStore) {
        self.store = store
    }

    /// A row; `nil` if the challenge was never seen.
    func row(_ id: Challenge.ID) async throws(PushError) -> LedgerRow? {
        try await read(Self.key(id))?.row
    }

    /// A row of a challenge that was announced.
    func announced(
        _ id: Challenge.ID
    ) async throws(PushError) -> (row: LedgerRow, announcement: Announcement) {
        guard let row = try await row(id) else {
            throw PushError(
                .notFound, "There is no such challenge.", provider: id.enrollment.provider)
        }
        guard let announcement = row.announcement else {
            throw PushError(
                .over, "It was withdrawn before it came.", provider: id.enrollment.provider)
        }
        return (row, announcement)
    }

    /// Remembers an announcement, unless its challenge is known.
    func open(
        _ announcement: Announcement
    ) async throws(PushError) -> (row: LedgerRow, isNew: Bool) {
        let new = LedgerRow(id: announcement.notice.id, announcement: announcement)
        return try await change(new.id) { (row) throws(PushError) in
            if let row { return (row, nil, isNew: false) }
            return (new, new, isNew: true)
        }
    }

    /// Remembers that a challenge is over, whether it was announced or not.
    ///
    /// - Returns: Whether that is news.
    func close(_ withdrawal: Withdrawal) async throws(PushError) -> Bool {
        try await change(withdrawal.id) { (row) throws(PushError) in
            var row = row ?? LedgerRow(id: withdrawal.id)
            guard row.withdrawal == nil, row.outcome == nil else { return (row, nil, isNew: false) }
            row.withdrawal = withdrawal
            return (row, row, isNew: true)
        }.isNew
    }

    /// Records a decision on an open challenge, or the answer that was made again for one.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - resolution: What the user chose.
    ///   - answer: What will be sent.
    ///   - again: Whether the same decision stood before, and its answer had to be made again.
    /// - Throws: ``PushError``: `decidedOtherwise` if another decision stands, `over` if the
    ///   challenge is over. Nothing has been written then.
    func decide(
        _ id: Challenge.ID, _ resolution: Resolution, _ answer: Answer, again: Bool
    ) async throws(PushError) {
        _ = try await change(id) { (found) throws(PushError) in
            guard var row = found else {
                throw PushError(.notFound, "There is no such challenge.")
            }
            switch row.state {
            case .open: break
            case .decided(resolution) where again && row.decided?.bytes == nil: break
            case .decided(let other), .answered(let other, _):
                throw PushError(.decidedOtherwise(other), "Another decision stands.")
            case .over: throw PushError(.over, "The challenge is over.")
            }
            row.decided = LedgerRow.Decided(resolution, answer)
            return (row, row, isNew: true)
        }
    }

    /// Records the vendor's final word on a decision, or opens the challenge again.
    ///
    /// A word on a decision that no longer stands changes nothing: meanwhile another process may
    /// have opened the challenge and recorded another one. What the vendor says replaces "unknown",
    /// which the other of two copies may have brought, but opens nothing then.
    func settle(
        _ id: Challenge.ID, _ judged: LedgerRow.Decided, _ outcome: Outcome
    ) async throws(PushError) {
        _ = try await change(id) { (found) throws(PushError) in
            guard var row = found, let decided = row.decided, decided.isSame(as: judged),
                row.outcome == nil
                    || row.outcome?.isUnknown == true && !outcome.reopens
                        && !outcome.isUnknown
            else { return (found ?? LedgerRow(id: id), nil, isNew: false) }
            if outcome.reopens {
                row.decided = nil
            } else {
                row.outcome = outcome
                row.decided = LedgerRow.Decided(
                    resolution: decided.resolution, kept: decided.kept, bytes: nil)
            }
            return (row, row, isNew: true)
        }
    }

    /// All rows, of one enrollment or of all, and those that are damaged.
    func survey(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> (rows: [LedgerRow], damaged: [Challenge.ID]) {
        var rows: [LedgerRow] = []
        var damaged: [Challenge.ID] = []
        for id in try await ids(of: enrollment) {
            do throws(PushError) {
                if let row = try await row(id) { rows.append(row) }
            } catch  where error.code == .malformed {
                damaged.append(id)
            }
        }
        return (rows, damaged)
    }

    /// Forgets every challenge of an enrollment.
    func removeAll(of enrollment: Enrollment.ID) async throws(PushError) {
        for id in try await ids(of: enrollment) {
            let key = Self.key(id)
            while let revision = try await store.read(key)?.revision {
                do throws(PushError) {
                    try await store.write(nil, for: key, replacing: revision)
                } catch  where error.code == .conflict {
                    continue
                }
            }
        }
    }

    /// Reruns a change on the newest row until its write wins, or it has nothing to write.
    private func change(
        _ id: Challenge.ID,
        _ body: (LedgerRow?) throws(PushError) -> (row: LedgerRow, write: LedgerRow?, isNew: Bool)
    ) async throws(PushError) -> (row: LedgerRow, isNew: Bool) {
        let key = Self.key(id)
        while true {
            let found = try await read(key)
            let (row, changed, isNew) = try body(found?.row)
            guard let changed else { return (row, isNew) }
            do throws(PushError) {
                try await store.write(changed.sealed, for: key, replacing: found?.revision)
                return (row, isNew)
            } catch  where error.code == .conflict {
                continue
            }
        }
    }

    private func read(
        _ key: RecordKey
    ) async throws(PushError) -> (row: LedgerRow, revision: Revision)? {
        guard let (value, revision) = try await store.read(key) else { return nil }
        return (try LedgerRow(reading: value), revision)
    }

    private func ids(of enrollment: Enrollment.ID?) async throws(PushError) -> [Challenge.ID] {
        try await store.names(in: Self.collection)
            .compactMap(Self.id(named:))
            .filter { enrollment == nil || $0.enrollment == enrollment }
    }

    /// The identifier that ``key(_:)`` made a name of.
    private static func id(named name: String) -> Challenge.ID? {
        let limits = JSON.Limits(bytes: .max)
        guard let parts = try? JSON(parsing: name, limits: limits).array?.compactMap(\.string),
            parts.count == 3
        else { return nil }
        return Challenge.ID(
            parts[2], of: Enrollment.ID(parts[1], of: ProviderID(rawValue: parts[0])))
    }

    /// Names may hold any text, so they are joined as JSON: no two identifiers share a key.
    private static func key(_ id: Challenge.ID) -> RecordKey {
        let parts = [id.enrollment.provider.rawValue, id.enrollment.name, id.name]
        return RecordKey(collection, JSON.array(parts.map(JSON.string)).text)
    }
}
