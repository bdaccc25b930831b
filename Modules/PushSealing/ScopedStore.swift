public import PushCore

/// A part of a store, such as one device's of many: no other scope's records are seen.
///
/// Each scope has its own collections. What a server asks all processes to wait is the whole store's: one
/// device's `Retry-After` stops the others' as well. What isn't finished is in one collection for all scopes, each
/// before its names, so that one process learns of all by a few pages: ``unfinished(in:)``. Put it before a
/// ``SealedStore``, so that a record is bound to its scope as well.
///
/// ```swift
/// let device = ScopedStore(store, scope: "d/0f3a")
/// ```
public struct ScopedStore: CredentialStore {
    private let base: any CredentialStore
    private let scope: String
    private let prefix: String

    /// Creates a view of a store.
    ///
    /// - Parameters:
    ///   - base: The store.
    ///   - scope: Any text. No two scopes share a record, whatever their texts.
    public init(_ base: any CredentialStore, scope: String) {
        self.base = base
        self.scope = scope
        prefix = ScopedName.prefix(scope)
    }

    /// What the store behind can do.
    public var traits: StoreTraits { base.traits }

    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `malformed` or `storage`, as the store behind.
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await base.read(inside(key))
    }

    /// Writes a record, if nobody else changed it meanwhile.
    ///
    /// - Throws: `PushError` with the code `conflict`, `malformed`, `storage` or `storageUnknown`, as
    ///   the store behind.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await base.write(value, for: inside(key), replacing: revision, waits: waits)
    }

    /// Takes a damaged record away.
    ///
    /// - Throws: `PushError` with the code `conflict` or `storage`, as the store behind.
    public func discard(_ key: RecordKey) async throws(PushError) {
        try await base.discard(inside(key))
    }

    /// A part of a collection's names, in the order of the store behind.
    ///
    /// - Throws: `PushError` with the code `storage`, as the store behind.
    public func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        guard RecordKey.hasScopesInNames(collection) else {
            return try await base.names(
                in: self.collection(collection), waiting: waiting, after: name, limit: limit)
        }
        let isOrdered = traits.contains(.ordered)
        var last = start(after: name)
        while true {
            let page = try await base.names(
                in: collection, waiting: waiting, after: last, limit: limit)
            let own = page.names.compactMap { self.name($0, outside: collection) }
            // Where names have an order, another scope's ends this one's.
            let isLast = page.isLast || isOrdered && own.count < page.names.count
            guard !isLast, own.isEmpty, let next = page.names.last else {
                return NamePage(own, isLast: isLast || page.names.isEmpty)
            }
            last = next
        }
    }

    /// Several records, in the order of the keys.
    ///
    /// - Throws: `PushError` with the code `storage`, as the store behind.
    public func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        zip(keys, try await base.read(all: keys.map(inside))).map {
            StoredRecord($0, $1.content)
        }
    }

    /// A part of a collection.
    ///
    /// - Throws: `PushError` with the code `storage`, as the store behind.
    public func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        if RecordKey.hasScopesInNames(collection) {
            return try await page(amongScopes: collection, after: name, limit: limit)
        }
        let page = try await base.page(of: self.collection(collection), after: name, limit: limit)
        return StorePage(
            page.records.map { StoredRecord(RecordKey(collection, $0.key.name), $0.content) },
            isLast: page.isLast)
    }

    /// A part of what this scope has in a collection of all scopes.
    private func page(
        amongScopes collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        let isOrdered = traits.contains(.ordered)
        // One more tells whether it is the last page.
        let count = min(max(1, limit), .max - 1)
        var last = start(after: name)
        var records: [StoredRecord] = []
        while true {
            let page = try await base.page(
                of: collection, after: last,
                limit: max(count - records.count + 1, isOrdered ? 1 : UnfinishedIndex.pageSize))
            for record in page.records {
                last = record.key.name
                guard let name = self.name(record.key.name, outside: collection) else {
                    if isOrdered { return StorePage(records, isLast: true) }
                    continue
                }
                if records.count == count { return StorePage(records, isLast: false) }
                records.append(StoredRecord(RecordKey(collection, name), record.content))
            }
            if page.isLast || page.records.isEmpty { return StorePage(records, isLast: true) }
        }
    }

    /// Where a walk through this scope's part of a collection of all scopes goes on.
    private func start(after name: String?) -> String? {
        if let name { return prefix + name }
        return traits.contains(.ordered) ? ScopedName.before(scope) : nil
    }

    /// Makes several changes, as the store behind does.
    ///
    /// - Throws: `PushError` with the code `conflict`, `malformed`, `storage` or `storageUnknown`, as
    ///   the store behind.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        try await base.commit(changes.map(inside))
    }

    private func collection(_ collection: String) -> String {
        let isShared =
            RecordKey.isWholeStores(collection) || RecordKey.hasScopesInNames(collection)
        return isShared ? collection : prefix + collection
    }

    private func inside(_ key: RecordKey) -> RecordKey {
        RecordKey(
            collection(key.collection),
            RecordKey.hasScopesInNames(key.collection) ? prefix + key.name : key.name)
    }

    /// A name of the store behind as this scope has it; `nil` if it is another scope's.
    private func name(_ name: String, outside collection: String) -> String? {
        guard RecordKey.hasScopesInNames(collection) else { return name }
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return String(name.utf8.dropFirst(prefix.utf8.count))
    }

    private func inside(_ change: StoreChange) -> StoreChange {
        let key = inside(change.key)
        return switch change {
        case .create(_, let value): .create(key, value)
        case .replace(_, let revision, let value): .replace(key, revision, with: value)
        case .delete(_, let revision): .delete(key, revision)
        case .exists: .exists(key)
        }
    }
}
