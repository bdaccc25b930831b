public import PushCore

/// A part of a store, such as one device's of many: no other scope's records are seen.
///
/// Each scope has its own collections. What a server asks all processes to wait is the whole
/// store's: one device's `Retry-After` stops the others' as well. The enrollments are in one
/// collection for all scopes, each scope before its names, so that one process learns of all that
/// waits by a few pages: ``waiting(in:)``. Put it before a ``SealedStore``, so that a record is
/// bound to its scope as well.
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
    ///   - base: The store; not a scope of one.
    ///   - scope: Any text. No two scopes share a record, whatever their texts.
    public init(_ base: any CredentialStore, scope: String) {
        self.base = base
        self.scope = scope
        prefix = ScopedName.prefix(scope)
    }

    /// Whether processes on several machines use the store behind.
    public var isShared: Bool { base.isShared }

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
        let page = try await base.names(
            in: collection, waiting: waiting,
            after: name.map { prefix + $0 } ?? ScopedName.before(scope), limit: limit)
        let own = page.names.compactMap { name in
            name.utf8.starts(with: prefix.utf8)
                ? String(name.utf8.dropFirst(prefix.utf8.count)) : nil
        }
        // A scope's names stand together: another's ends this one's.
        return NamePage(own, isLast: page.isLast || own.count < page.names.count)
    }

    /// Several records, in the order of the keys.
    ///
    /// - Throws: `PushError` with the code `storage`, as the store behind.
    public func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        zip(keys, try await base.read(all: keys.map(inside))).map {
            StoredRecord($0, $1.content)
        }
    }

    private func collection(_ collection: String) -> String {
        RecordKey.isWholeStores(collection) || RecordKey.hasScopesInNames(collection)
            ? collection : prefix + collection
    }

    private func inside(_ key: RecordKey) -> RecordKey {
        RecordKey(
            collection(key.collection),
            RecordKey.hasScopesInNames(key.collection) ? prefix + key.name : key.name)
    }
}
