/// The rows of a store that is ``StoreTraits/atomic``: each row and its entry in the index of what
/// isn't finished (``UnfinishedEntry``) are read by one call, and changed by one.
struct IndexedRows: Sendable {
    typealias InHand = RecordInHand<LedgerRow>

    /// What else belongs to a change of a row; it gets the row as it is before the change, `nil` if
    /// there is none.
    typealias Along = @Sendable (LedgerRow?) -> [StoreChange]

    let store: any CredentialStore
    let clock: any PushClock

    /// A row and its entry.
    ///
    /// - Throws: ``PushError``, as ``CredentialStore/read(_:)``.
    func inHand(_ id: Challenge.ID) async throws(PushError) -> InHand {
        let keys = [Ledger.key(id), UnfinishedEntry.key(id)]
        return try await inHand(id, in: try await store.read(all: keys))
    }

    /// Many rows with their entries, by few trips; or why a row can't be read.
    ///
    /// - Throws: ``PushError``, as ``CredentialStore/read(all:)``.
    func inHand(
        all ids: [Challenge.ID]
    ) async throws(PushError) -> [Challenge.ID: Result<InHand, PushError>] {
        var rows: [Challenge.ID: Result<InHand, PushError>] = [:]
        let most = UnfinishedIndex.pageSize / 2
        for start in stride(from: 0, to: ids.count, by: most) {
            let part = ids[start...].prefix(most)
            let found = try await store.read(
                all: part.flatMap { [Ledger.key($0), UnfinishedEntry.key($0)] })
            for (place, id) in part.enumerated() {
                rows[id] = await Result { () async throws(PushError) in
                    try await inHand(id, in: Array(found.dropFirst(2 * place).prefix(2)))
                }
            }
        }
        return rows
    }

    /// A row and its entry, as they were read.
    func inHand(
        _ id: Challenge.ID, in found: [StoredRecord]
    ) async throws(PushError) -> InHand {
        guard found.count == 2 else {
            throw PushError(.storage, "The store returned \(found.count) records instead of 2.")
        }
        let row = try found[0].content.get()
        let place: IndexPlace
        switch found[1].content {
        case .success(let entry):
            place = entry.map { .at($0.revision) } ?? .none
        case .failure:
            // Nothing of it is needed: the row says what it has to say.
            try await store.discardDamaged(UnfinishedEntry.key(id))
            place = .unknown
        }
        guard let row else { return RecordInHand(content: nil, revision: nil, place: place) }
        return RecordInHand(
            content: try LedgerRow(reading: row.value), revision: row.revision, place: place)
    }

    /// Runs a function of the newest row, and writes the row and its entry if that changed it.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - first: The row as it was last seen, to start from.
    ///   - new: The row of a challenge that isn't on record.
    ///   - along: What else belongs to the change.
    ///   - body: Gets the row. It may run more than once.
    /// - Returns: What `body` returned; the row as it is then, if that is known; and the revisions of
    ///   what was changed along.
    /// - Throws: What `body` throws; ``PushError`` with the code `conflict` and a
    ///   ``PushError/refusal`` if a change of `along` was refused, whose place it names; `conflict`
    ///   without one if others were first a hundred times; else what the store throws.
    func change<Value>(
        _ id: Challenge.ID, from first: InHand?, new: LedgerRow, along: Along,
        _ body: (inout LedgerRow) throws(PushError) -> Value
    ) async throws(PushError) -> (value: Value, inHand: InHand?, alongside: [Revision?]) {
        var given = first
        // What was in hand before may be old; what a refusal brings is not.
        var isFresh = false
        // Whether it is known already among those that are over.
        var isAmongOver = false
        for _ in 0..<100 {
            let found: InHand
            if let known = given {
                found = known
            } else {
                found = try await inHand(id)
                isFresh = true
            }
            given = nil
            var row = found.content ?? new
            let value: Value
            do throws(PushError) {
                value = try body(&row)
            } catch {
                guard isFresh else { continue }
                throw error
            }
            guard row.hasChanged else {
                if isFresh { return (value, found, []) }
                continue
            }
            let recorded = row.asRecorded
            guard let own = changes(to: recorded, from: found, isAmongOver: isAmongOver) else {
                continue
            }
            switch try await make(own + along(found.content), own: own.count) {
            case .made(let revisions):
                return (
                    value, inHand(recorded, own, revisions, before: found),
                    Array(revisions.dropFirst(own.count))
                )
            case .isAmongOver:
                (given, isAmongOver) = (found, true)
            case .refused(let row):
                isAmongOver = false
                given =
                    switch row {
                    case .unknown: nil
                    case .absent: RecordInHand(content: nil, revision: nil)
                    case .record(let value, let revision):
                        RecordInHand(content: try LedgerRow(reading: value), revision: revision)
                    }
                isFresh = given != nil
            }
        }
        throw PushError(.conflict, "Others kept changing the record; try again.")
    }

    /// Deletes a row and its entries, if it still is as it should be.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - over: Where it is among those that are over, if that is known.
    ///   - isUnchanged: Whether the row is as it should be.
    /// - Throws: What the store throws; ``PushError`` with the code `conflict` if others were first a
    ///   hundred times.
    func delete(
        _ id: Challenge.ID, _ over: OverEntry? = nil, if isUnchanged: (LedgerRow) -> Bool
    ) async throws(PushError) {
        var over = over
        for _ in 0..<100 {
            let found = try await inHand(id)
            guard let row = found.content, let revision = found.revision, isUnchanged(row) else {
                return
            }
            var changes = [StoreChange.delete(Ledger.key(id), revision)]
            switch found.place {
            case .at(let place): changes.append(.delete(UnfinishedEntry.key(id), place))
            case .none: break
            case .unknown: continue
            }
            if let over { changes.append(.delete(over.key, over.revision)) }
            switch try await make(changes, own: changes.count) {
            case .made: return
            case .isAmongOver: over = nil
            case .refused: continue
            }
        }
        throw PushError(.conflict, "Others kept changing the record; try again.")
    }

    // MARK: One try

    private enum Attempt {
        /// It was made.
        case made([Revision?])
        /// Among those that are over it stands already, or doesn't any more.
        case isAmongOver
        /// Another writer was first; and the row as it is now, if the store says so.
        case refused(StoreRefusal.Found)
    }

    private func make(
        _ changes: [StoreChange], own: Int
    ) async throws(PushError) -> Attempt {
        do throws(PushError) {
            return .made(try await store.commit(changes))
        } catch {
            guard let refusal = error.refusal else {
                guard error.code == .conflict else { throw error }
                return .refused(.unknown)
            }
            if refusal.index >= own {
                throw error.refusing(
                    StoreRefusal(index: refusal.index - own, found: refusal.found))
            }
            let collection = changes[refusal.index].key.collection
            let isOver = OverEntry.isCollection(collection)
            let isEntry = isOver || collection == UnfinishedEntry.collection
            if isOver, error.code == .conflict { return .isAmongOver }
            if error.code == .malformed, isEntry {
                try await store.discardDamaged(changes[refusal.index].key)
                return .refused(.unknown)
            }
            guard error.code == .conflict else { throw error.refusing(nil) }
            return .refused(isEntry ? .unknown : refusal.found)
        }
    }

    /// What a change of a row comes to; `nil` if its entry must change, and isn't known.
    private func changes(
        to row: LedgerRow, from found: InHand, isAmongOver: Bool
    ) -> [StoreChange]? {
        let (key, entryKey) = (Ledger.key(row.id), UnfinishedEntry.key(row.id))
        var changes: [StoreChange] = []
        if let revision = found.revision {
            changes.append(.replace(key, revision, with: row.sealed))
        } else {
            changes.append(.create(key, row.sealed))
        }
        let (old, new) = (found.content.flatMap(UnfinishedEntry.init), UnfinishedEntry(row))
        switch (found.place, new) {
        case (.unknown, _):
            guard UnfinishedEntry.isSame(old, new) else { return nil }
        case (.none, let new?):
            changes.append(.create(entryKey, new.sealed))
        case (.none, nil):
            break
        case (.at(let revision), let new?):
            guard !UnfinishedEntry.isSame(old, new) else { break }
            changes.append(.replace(entryKey, revision, with: new.sealed))
        case (.at(let revision), nil):
            changes.append(.delete(entryKey, revision))
        }
        let wasOver = found.content != nil && old == nil
        if new == nil, !wasOver, !isAmongOver {
            changes.append(OverEntry.creation(of: row, at: clock.now))
        }
        return changes
    }

    /// A row as it is after its change; `nil` if the store doesn't tell its revision.
    private func inHand(
        _ row: LedgerRow, _ changes: [StoreChange], _ revisions: [Revision?], before: InHand
    ) -> InHand? {
        guard revisions.count >= changes.count, let revision = revisions[0] else { return nil }
        var place = before.place
        for (change, revision) in zip(changes, revisions)
        where change.key.collection == UnfinishedEntry.collection {
            if case .delete = change {
                place = .none
            } else {
                place = revision.map(IndexPlace.at) ?? .unknown
            }
        }
        return RecordInHand(content: row, revision: revision, place: place)
    }
}
