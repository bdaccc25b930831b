import PushCore

/// A change with the revision that this process has drawn for it: by that it is known again when
/// its reply was lost.
struct PostgresChange: Sendable {
    let key: RecordKey

    /// The revision that it replaces or deletes; `nil` if there must be no record yet.
    let old: Revision?

    /// The record afterwards; `nil` if it's deleted.
    let new: PostgresRow.Content?

    /// Whether work waits in what it writes.
    let waits: Bool

    init(_ key: RecordKey, _ value: Secret?, replacing old: Revision?, waits: Bool) {
        self.key = key
        self.old = old
        new = value.map { ($0, Self.newRevision(not: old)) }
        self.waits = waits
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

/// Makes changes, and finds out what became of one whose reply was lost.
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

    /// Makes a change, or nothing.
    ///
    /// The same statement is sent again until there is a word on it. Whichever copy comes second
    /// fails its condition, so it happens once at the most.
    ///
    /// - Throws: `PushError` with the code `conflict`, `storage` or `storageUnknown`.
    func make(_ change: PostgresChange) async throws(PushError) {
        var isInDoubt = false
        do throws(PushError) {
            try await make(change, &isInDoubt)
            if isInDoubt { onSettled?(.made) }
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
        _ change: PostgresChange, _ isInDoubt: inout Bool
    ) async throws(PushError) {
        let statement = tables.make(change)
        var attempts = PostgresAttempts(for: patience)
        while true {
            var failure: PostgresFailure?
            switch await pool.run(statement, until: attempts.end) {
            case .rows(let rows) where !rows.isEmpty:
                return pool.past.note(rows, replacing: change.old)
            case .rows:
                let found = try await look(at: change.key, isInDoubt)
                if isInDoubt, try await happened(change, found) {
                    return pool.past.note([], replacing: change.old)
                }
                guard found.content?.revision == change.old else {
                    throw PushError(.conflict, "Another writer was first.", found: found.content)
                }
            // A refused repetition says nothing of the copy before it.
            case .refused(let error): throw isInDoubt ? unknown(error) : error
            case .undone(let last): failure = last
            case .lost(let last):
                failure = last
                isInDoubt = true
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
        at key: RecordKey, _ isInDoubt: Bool
    ) async throws(PushError) -> Found {
        do throws(PushError) {
            return Found(
                try await pool.read(tables.read(key), within: patience, revisionAt: 1).first)
        } catch {
            throw isInDoubt ? unknown(error) : error
        }
    }

    /// A record as it is now.
    struct Found {
        let content: PostgresRow.Content?

        /// The revisions before it, the newest first.
        let previous: [Revision]

        init(_ row: PostgresRow?) {
            content = row?.content(at: 0)
            previous = row?.revisions(2) ?? []
        }

        func had(_ revision: Revision?) -> Bool {
            guard let revision, let content else { return false }
            return content.revision == revision || previous.contains(revision)
        }
    }

    // MARK: Settling

    /// Whether an earlier copy of a statement happened.
    ///
    /// - Throws: `PushError` with the code `storageUnknown` if nobody can say.
    private func happened(
        _ change: PostgresChange, _ found: Found
    ) async throws(PushError) -> Bool {
        switch Self.fate(of: change, found) {
        case .happened:
            // After a crash a server shows what was still waiting for its standby.
            do throws(PushError) {
                _ = try await pool.read(tables.barrier, within: patience)
            } catch {
                throw unknown(error)
            }
            return true
        case .didNot: return false
        case .unknown:
            throw PushError(
                .storageUnknown,
                "A reply of PostgreSQL's was lost, and too much has happened since to tell whether "
                    + "the record had changed.")
        }
    }

    /// What the record tells.
    static func fate(of change: PostgresChange, _ found: Found) -> Fate {
        if found.had(change.new?.revision) { return .happened }
        // Of a creation nothing else tells: another's record may have been made after this one was
        // deleted.
        return found.had(change.old) ? .didNot : .unknown
    }
}
