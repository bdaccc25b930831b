public import PushCore
public import PushPlatform

extension SealedStore {
    /// Seals everything with another key, while every process goes on reading and writing.
    ///
    /// Give the new key to every process first (`others`). From the call on, processes seal with the new
    /// key as soon as they have read the header again, at the latest after half a minute. After a minute
    /// the call seals what is left of the older keys, page by page by compare-and-set, and at the end the
    /// store gives the older keys up. Any process may call it, several at once; if it is
    /// interrupted, the next call finishes it. If the store has the key already, and no other, the call
    /// does nothing.
    ///
    /// A record that is damaged stays as it is. Names keep the place that the first key gave them.
    ///
    /// - Parameter source: The new key.
    /// - Throws: `PushError` with the code `unsupported` if the store behind isn't a `WalkableStore`;
    ///   `storage` or `storageUnknown` if it couldn't be finished, such as because another call changes
    ///   to another key; `invalidArgument` if the key hasn't 32 bytes. If it returns, the header names
    ///   the new key alone.
    public func rotate(to source: KeySource) async throws(PushError) {
        try await rotate(to: source) { () async throws(PushError) in
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                throw PushError(.cancelled, "The change of keys was cancelled; call it again.")
            }
        }
    }

    /// The same with a wait of the caller's, until no process seals with an older key any more.
    func rotate(
        to source: KeySource, waiting wait: () async throws(PushError) -> Void
    ) async throws(PushError) {
        guard let base = base as? any WalkableStore else {
            throw PushError(
                .unsupported,
                "The store behind can't list what it has; only a WalkableStore can change keys.")
        }
        let new = try await source.keys(for: .records)
        await keyring.learn(new)
        let begun = try await keyring.change { ids in
            ids.first == new.id ? nil : [new.id] + ids.filter { $0 != new.id }
        }
        guard begun != [new.id] else { return }
        try await wait()
        // A record that another writer changed meanwhile was sealed with the new key by it, or is
        // met again.
        while try await reseal(base) > 0 {}
        let ended = try await keyring.change { ids in
            ids.first == new.id && ids.count > 1 ? [new.id] : nil
        }
        guard ended == [new.id] else {
            throw PushError(
                .storage,
                "The store wasn't changed to the key \(new.id): its header names "
                    + "\(ended.joined(separator: ", ")), by another change of keys. Look who calls "
                    + "one, and call it again.")
        }
    }

    /// Seals with the current key what has another one.
    ///
    /// - Returns: How many records another writer changed meanwhile.
    private func reseal(_ base: any WalkableStore) async throws(PushError) -> Int {
        var last: RecordKey?
        var contested = 0
        while true {
            let page = try await base.page(after: last, limit: 100)
            var waiting: [String: Set<RecordKey>] = [:]
            for record in page.records {
                last = record.key
                do throws(PushError) {
                    try await reseal(record, &waiting)
                } catch  where error.code == .conflict {
                    contested += 1
                }
            }
            if page.isLast || page.records.isEmpty { return contested }
            guard !Task.isCancelled else {
                throw PushError(.cancelled, "The change of keys was given up. Call it again.")
            }
        }
    }

    /// Whether work waits in a record, or may wait. The record was read before its mark, so if the
    /// mark is another's, the record has another revision.
    private func waits(
        _ key: RecordKey, _ known: inout [String: Set<RecordKey>]
    ) async throws(PushError) -> Bool {
        if let known = known[key.collection] { return known.contains(key) }
        let names = try await base.names(in: key.collection, waiting: true)
        let keys = Set(names.map { RecordKey(key.collection, $0) })
        known[key.collection] = keys
        return keys.contains(key)
    }

    private func reseal(
        _ record: StoredRecord, _ waiting: inout [String: Set<RecordKey>]
    ) async throws(PushError) {
        let ring = try await keyring.current()
        guard record.key != SealedHeader.key, let key = ring.key(at: record.key),
            case .success(let found?) = record.content,
            found.value.withBytes({ SealedRecord.keyID(in: Array($0)) }) != ring.current.id
        else { return }
        let opened: (value: Secret, revision: Revision)?
        do throws(PushError) {
            opened = try await open(found, as: key)
        } catch  where error.code == .malformed {
            return
        }
        guard let opened else { return }
        let sealed = try SealedRecord.seal(opened.value, for: key, of: tenant, with: ring.current)
        let waits = try await waits(record.key, &waiting)
        try await base.write(
            sealed, for: record.key, replacing: opened.revision, waits: waits)
    }
}
