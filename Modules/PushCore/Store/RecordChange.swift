/// What becomes of a record that was looked at.
enum RecordChange {
    case keep
    case replace(Secret)
    case delete
}

extension CredentialStore {
    /// Changes a record's value: runs `body` on the newest one (`nil` if there is no record) until
    /// the write wins, or there is nothing to write. Throws `conflict` if others were first a hundred
    /// times.
    func change<Value>(
        _ key: RecordKey, discardsDamaged: Bool = false,
        _ body: (Secret?) throws(PushError) -> (change: RecordChange, value: Value)
    ) async throws(PushError) -> Value {
        for _ in 0..<100 {
            let found = try await discardsDamaged ? readWhole(key) : read(key)
            let (change, value) = try body(found?.value)
            do throws(PushError) {
                switch change {
                case .keep: break
                case .replace(let new):
                    try await write(new, for: key, replacing: found?.revision)
                case .delete:
                    guard let revision = found?.revision else { break }
                    try await write(nil, for: key, replacing: revision)
                }
                return value
            } catch
                where error.code == .conflict
                || discardsDamaged && error.code == .malformed
            {}
        }
        throw PushError(.conflict, "Others kept changing the record; try again.")
    }

    /// Makes a record new from what there is, unless `body` returns `nil`; one that is damaged is as
    /// good as none. Returns whether a damaged one was discarded.
    func replace(
        _ key: RecordKey, _ body: (Secret?) throws(PushError) -> Secret?
    ) async throws(PushError) -> Bool {
        let change = { (found: Secret?) throws(PushError) -> (RecordChange, Void) in
            (try body(found).map { .replace($0) } ?? .keep, ())
        }
        do throws(PushError) {
            try await self.change(key, change)
            return false
        } catch  where error.code == .malformed {
            try await discardDamaged(key)
            // Another process may have made it new meanwhile.
            try await self.change(key, change)
            return true
        }
    }

    /// A secret that is drawn once for all who share the store. One that is damaged, or of another
    /// length, is replaced.
    ///
    /// - Parameters:
    ///   - key: Its record.
    ///   - drawn: What to keep if there is none.
    /// - Returns: The one that all have.
    /// - Throws: ``PushError`` with the code `storage` if the store can't be used, `conflict` if
    ///   others were first a hundred times.
    package func secret(_ key: RecordKey, else drawn: Secret) async throws(PushError) -> Secret {
        try await change(key, discardsDamaged: true) { found in
            guard let found, found.count == drawn.count else { return (.replace(drawn), drawn) }
            return (.keep, found)
        }
    }

    /// Deletes a record, if it is there, damaged or not.
    func delete(_ key: RecordKey) async throws(PushError) {
        try await change(key, discardsDamaged: true) { _ in (.delete, ()) }
    }

    /// Reads a record; a damaged one is taken away before.
    func readWhole(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        do throws(PushError) {
            return try await read(key)
        } catch  where error.code == .malformed {
            try await discardDamaged(key)
            // Another process may have made it new meanwhile.
            return try await read(key)
        }
    }

    /// Takes a damaged record away, unless another process was first: then there is nothing to do.
    func discardDamaged(_ key: RecordKey) async throws(PushError) {
        do throws(PushError) {
            try await discard(key)
        } catch  where error.code == .conflict {}
    }
}
