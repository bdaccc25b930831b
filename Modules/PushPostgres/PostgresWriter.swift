import PushCore

/// A change as it goes to the server, with the revision that this process has drawn for it: by that it
/// is known again when the reply was lost.
struct PostgresChange: Sendable {
    enum Kind: String, Sendable {
        case create = "c"
        case replace = "r"
        case delete = "d"
        case exists = "e"
    }

    let key: RecordKey
    let kind: Kind

    /// The values behind collection and name, in the order of the statement's places.
    let values: [PostgresStatement.Value]

    /// The new revision; `nil` if there is none.
    let new: Revision?

    /// The revision that it replaces or deletes.
    let old: Revision?

    /// - Parameters:
    ///   - change: The change.
    ///   - waits: Whether work waits in what it writes.
    init(_ change: StoreChange, waits: Bool = false) {
        key = change.key
        switch change {
        case .create(_, let value):
            let revision = Self.newRevision(not: nil)
            (kind, new, old) = (.create, revision, nil)
            values = [.number(revision.value), .secret(value), .flag(waits)]
        case .replace(_, let current, let value):
            let revision = Self.newRevision(not: current)
            (kind, new, old) = (.replace, revision, current)
            values = [
                .number(revision.value), .secret(value), .flag(waits), .number(current.value),
            ]
        case .delete(_, let current):
            (kind, new, old) = (.delete, nil, current)
            values = [.number(current.value)]
        case .exists:
            (kind, new, old) = (.exists, nil, nil)
            values = []
        }
    }

    /// Any 63-bit number, never 0: a counter of the server's would have to outlive the record, and
    /// wouldn't say whose write it was.
    private static func newRevision(not current: Revision?) -> Revision {
        while true {
            let revision = Revision(UInt64.random(in: 1...UInt64(Int64.max)))
            if revision != current { return revision }
        }
    }
}

/// Makes changes, and finds out what became of those whose reply was lost.
struct PostgresWriter: Sendable {
    let pool: PostgresPool
    let tables: PostgresTables
    let patience: Duration

    /// Hears what became of a write whose reply was lost.
    var onSettled: (@Sendable (SettledWrite) -> Void)?

    /// What is known of a statement whose reply was lost.
    enum Fate {
        case happened, didNot, unknown
    }

    /// Makes all changes or none.
    ///
    /// The same statement is sent again until there is a word on it. Whichever copy comes second fails
    /// its condition, so it happens once at the most.
    ///
    /// - Throws: `PushError` with the code `conflict`, `storage` or `storageUnknown`.
    func make(_ changes: [PostgresChange]) async throws(PushError) -> [Revision?] {
        var isInDoubt = false
        do throws(PushError) {
            let revisions = try await make(changes, &isInDoubt)
            if isInDoubt { onSettled?(.made) }
            return revisions
        } catch {
            if error.code == .storageUnknown {
                onSettled?(.unknown)
            } else if isInDoubt {
                onSettled?(.notMade)
            }
            throw error
        }
    }

    private func make(
        _ drafts: [PostgresChange], _ isInDoubt: inout Bool
    ) async throws(PushError) -> [Revision?] {
        let statement = tables.commit(drafts)
        var attempts = PostgresAttempts(for: patience)
        while true {
            var failure: PostgresFailure?
            switch await pool.run(statement, until: attempts.end) {
            case .rows(let rows) where !rows.isEmpty:
                pool.past.note(rows, replacing: drafts.compactMap(\.old))
                return drafts.map(\.new)
            case .rows:
                let found = try await look(drafts, isInDoubt)
                if isInDoubt, try await happened(drafts, found) {
                    pool.past.note([], replacing: drafts.compactMap(\.old))
                    return drafts.map(\.new)
                }
                if let refusal = refusal(of: drafts, found) { throw refusal }
            // A refused repetition says nothing of the copy before it.
            case .refused(let error): throw isInDoubt ? unknown(error) : error
            case .undone(let last): failure = last
            case .lost(let last):
                failure = last
                // A look leaves nothing to be in doubt about.
                isInDoubt = drafts.contains { $0.kind != .exists }
            }
            if await attempts.next() { continue }
            let error = failure?.refusal ?? PushError(.conflict, "Others were first each time.")
            throw isInDoubt ? unknown(error) : error
        }
    }

    private func unknown(_ error: any Error) -> PushError {
        PushError(
            .storageUnknown,
            "PostgreSQL broke off, and can't say whether the record has changed. (\(error))",
            underlying: (error as? PushError)?.underlying)
    }

    // MARK: After a condition that doesn't hold

    private func look(
        _ drafts: [PostgresChange], _ isInDoubt: Bool
    ) async throws(PushError) -> [Found] {
        do throws(PushError) {
            return try await pool.read(
                tables.look(at: drafts.map(\.key)), within: patience, revisionAt: 1
            ).map(Found.init)
        } catch {
            throw isInDoubt ? unknown(error) : error
        }
    }

    /// A record as it is now.
    struct Found {
        let content: PostgresRow.Content?

        /// The revisions before it, the newest first.
        let previous: [Revision]

        init(_ row: PostgresRow) {
            content = row.content(at: 0)
            previous = row.revisions(2)
        }

        func had(_ revision: Revision?) -> Bool {
            guard let revision, let content else { return false }
            return content.revision == revision || previous.contains(revision)
        }
    }

    /// The first change that can't be made of what was found; `nil` if all could be made now.
    private func refusal(of drafts: [PostgresChange], _ found: [Found]) -> PushError? {
        for (index, (draft, record)) in zip(drafts, found).enumerated() {
            let holds =
                switch draft.kind {
                case .create: record.content == nil
                case .replace, .delete: record.content?.revision == draft.old
                case .exists: record.content != nil
                }
            guard !holds else { continue }
            return PushError(
                .conflict, "Another writer was first.",
                refusal: StoreRefusal(index: index, found: .init(record.content)))
        }
        return nil
    }

    // MARK: Settling

    /// Whether an earlier copy of a statement happened.
    ///
    /// - Throws: `PushError` with the code `storageUnknown` if nobody can say.
    private func happened(
        _ drafts: [PostgresChange], _ found: [Found]
    ) async throws(PushError) -> Bool {
        let fates = zip(drafts, found).map(Self.fate)
        if fates.contains(.happened) {
            // After a crash a server shows what was still waiting for its standby.
            do throws(PushError) {
                _ = try await pool.read(tables.barrier, within: patience)
            } catch {
                throw unknown(error)
            }
            return true
        }
        if fates.contains(.didNot) { return false }
        throw PushError(
            .storageUnknown,
            "A reply of PostgreSQL's was lost, and too much has happened since to tell whether the "
                + "record had changed.")
    }

    /// What one record tells. Changes are made together, so that one that tells is enough.
    static func fate(of draft: PostgresChange, _ found: Found) -> Fate {
        guard found.content != nil else { return .unknown }
        if found.had(draft.new) { return .happened }
        switch draft.kind {
        case .replace, .delete: return found.had(draft.old) ? .didNot : .unknown
        // Another's record may have been made after this one was deleted.
        case .create, .exists: return .unknown
        }
    }
}
