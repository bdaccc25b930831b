/// A store that does one thing at a time.
extension CredentialStore {
    /// None.
    public var traits: StoreTraits { [] }

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

    /// Reads all names, and some of the records.
    ///
    /// - Throws: ``PushError`` with the code `storage`, as ``names(in:)`` and ``read(_:)``.
    public func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        let names = try await names(in: collection)
            .filter { next in name.map { $0.utf8.lexicographicallyPrecedes(next.utf8) } ?? true }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var records: [StoredRecord] = []
        var rest = names[...]
        // A record that is gone meanwhile leaves its place to the next.
        while records.count < max(1, limit), let next = rest.popFirst() {
            let found = try await read(all: [RecordKey(collection, next)])
            records += found.filter { if case .success(nil) = $0.content { false } else { true } }
        }
        return StorePage(records, isLast: rest.isEmpty)
    }

    /// Makes one change after the other, until one is refused.
    ///
    /// - Throws: ``PushError`` with the codes of ``write(_:for:replacing:)``.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        var revisions: [Revision?] = []
        for (index, change) in changes.enumerated() {
            do throws(PushError) {
                revisions.append(try await make(change))
            } catch {
                throw error.refusing(StoreRefusal(index: index))
            }
        }
        return revisions
    }

    private func make(_ change: StoreChange) async throws(PushError) -> Revision? {
        switch change {
        case .create(let key, let value):
            return try await write(value, for: key, replacing: nil)
        case .replace(let key, let revision, let value):
            return try await write(value, for: key, replacing: revision)
        case .delete(let key, let revision):
            return try await write(nil, for: key, replacing: revision)
        case .exists(let key):
            guard let (_, revision) = try await read(key) else {
                throw PushError(.conflict, "The record isn't there.")
            }
            return revision
        }
    }
}

extension PushError {
    /// The same error with a refusal; `nil` for without one.
    public func refusing(_ refusal: StoreRefusal?) -> PushError {
        var refused = PushError(
            code, reason, provider: provider, ends: ends, refusal: refusal, underlying: underlying)
        refused.isOvertaken = isOvertaken
        return refused
    }
}
