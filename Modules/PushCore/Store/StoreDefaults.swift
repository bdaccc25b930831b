/// A store that does one thing at a time.
extension CredentialStore {
    /// No.
    public var isShared: Bool { false }

    /// Reads one record after the other.
    ///
    /// - Throws: ``PushError`` with the code `storage`, as ``read(_:)``.
    public func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        for key in keys {
            do throws(PushError) {
                records.append(StoredRecord(key, .success(try await read(key))))
            } catch  where error.code == .malformed {
                records.append(StoredRecord(key, .failure(error)))
            }
        }
        return records
    }
}

/// What is made of one function of the protocol.
extension CredentialStore {
    /// Writes a record in which no work ever waits.
    ///
    /// - Throws: ``PushError`` with the code `conflict`, `malformed`, `storage` or
    ///   `storageUnknown`, as ``write(_:for:replacing:waits:)``.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        try await write(value, for: key, replacing: revision, waits: false)
    }

    /// All names of a collection, read by pages; or those of the records in which work may wait.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell, or names more than
    ///   256 MiB; `cancelled` if the task is cancelled before the store has named all.
    public func names(
        in collection: String, waiting: Bool = false
    ) async throws(PushError) -> [String] {
        try await names(in: collection, waiting: waiting, room: 1 << 28)
    }

    /// The same with a bound for the memory that the names take, in bytes.
    package func names(
        in collection: String, waiting: Bool, room: Int
    ) async throws(PushError) -> [String] {
        var names: [String] = []
        var left = room
        while true {
            let page = try await self.names(
                in: collection, waiting: waiting, after: names.last, limit: 1 << 16)
            left -= page.names.reduce(0) { $0 + $1.utf8.count + 32 }
            names += page.names
            guard !page.isLast, !page.names.isEmpty else { return names }
            guard left > 0 else {
                throw PushError(
                    .storage,
                    "The store names more records of one collection than a store has: their names "
                        + "are larger than \(room >> 20) MiB together.")
            }
            // One request isn't cancelled, but no other follows for a caller who is gone.
            guard !Task.isCancelled else {
                throw PushError(
                    .cancelled, "The caller has gone while the store's records were listed.")
            }
        }
    }
}

extension PushError {
    /// The same error with the record that a store found; `nil` for without one.
    public func finding(_ record: (value: Secret, revision: Revision)?) -> PushError {
        PushError(
            code, reason, provider: provider, ends: ends, found: record, underlying: underlying)
    }
}
