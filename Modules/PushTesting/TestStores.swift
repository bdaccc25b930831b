public import PushCore

/// A store that forgets everything when it goes, for tests and demonstrations.
public actor InMemoryStore: WalkableStore {
    private var records: [RecordKey: (value: Secret, revision: Revision)] = [:]
    private var waiting: Set<RecordKey> = []
    private var damaged: Set<RecordKey> = []
    private var lastRevision: UInt64 = 0
    private var refuses: (@Sendable (RecordKey) -> PushError?)?

    /// What it can do; all of it is done for real.
    public nonisolated let traits: StoreTraits

    /// Creates an empty store.
    ///
    /// - Parameter traits: What it says of itself. Without `StoreTraits.atomic` it makes
    ///   one change after the other, as a store of files does.
    public init(_ traits: StoreTraits = []) {
        self.traits = traits
    }

    /// Makes writes fail: the closure says with what, `nil` for not at all.
    public func refuseWrites(_ refuses: (@Sendable (RecordKey) -> PushError?)?) {
        self.refuses = refuses
    }

    /// Damages a record, whether it is there or not: until it is discarded, it is named, and
    /// reading and writing it throws `malformed`.
    public func damage(_ key: RecordKey) {
        records[key] = nil
        waiting.remove(key)
        damaged.insert(key)
    }

    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `malformed` if the record was damaged.
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try refuseDamaged(key)
        return records[key]
    }

    /// Writes a record and whether work waits in it, if nobody else changed it meanwhile.
    ///
    /// - Throws: `PushError` with the code `conflict` if the revision is another one, `malformed`
    ///   if the record was damaged, or what the test refuses writes with.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        if let error = refuses?(key) { throw error }
        try refuseDamaged(key)
        guard records[key]?.revision == revision else {
            throw PushError(.conflict, "Another writer was first.")
        }
        lastRevision += 1
        records[key] = value.map { ($0, Revision(lastRevision)) }
        if value != nil, waits { waiting.insert(key) } else { waiting.remove(key) }
        return records[key]?.revision
    }

    /// Takes a damaged record away; a whole one stays.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record isn't damaged, or what the test
    ///   refuses writes with.
    public func discard(_ key: RecordKey) async throws(PushError) {
        if records[key] != nil { throw PushError(.conflict, "The record isn't damaged.") }
        guard damaged.contains(key) else { return }
        if let error = refuses?(key) { throw error }
        damaged.remove(key)
    }

    /// A part of a collection's names.
    ///
    /// - Throws: Nothing.
    public func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let keys = damaged.union(waiting ? self.waiting : Set(records.keys))
        let names = keys.filter { $0.collection.hasSameBytes(as: collection) }.map(\.name)
        return NamePage(of: names, after: name, limit: limit)
    }

    /// Several records, in the order of the keys.
    ///
    /// - Throws: Nothing.
    public func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        keys.map(stored)
    }

    /// A part of a collection.
    ///
    /// - Throws: Nothing.
    public func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        let page = try await names(in: collection, waiting: false, after: name, limit: limit)
        return StorePage(
            page.names.map { stored(RecordKey(collection, $0)) }, isLast: page.isLast)
    }

    /// A part of everything, in the order of the bytes of collections, then of names.
    ///
    /// - Throws: Nothing.
    public func page(after key: RecordKey?, limit: Int) async throws(PushError) -> StorePage {
        let keys = damaged.union(records.keys).filter { next in
            key.map { Self.precedes($0, next) } ?? true
        }
        let page = keys.sorted(by: Self.precedes).prefix(max(1, limit)).map(stored)
        return StorePage(page, isLast: page.count == keys.count)
    }

    private static func precedes(_ one: RecordKey, _ other: RecordKey) -> Bool {
        let (first, second) = (one.collection.utf8, other.collection.utf8)
        return first.elementsEqual(second)
            ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
            : first.lexicographicallyPrecedes(second)
    }

    /// Makes several changes: all or none where it is atomic, else one after the other. No work
    /// waits in what they write.
    ///
    /// - Throws: `PushError` with the codes of ``write(_:for:replacing:waits:)``: `conflict` or
    ///   `malformed`, or what the test refuses writes with.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        if traits.contains(.atomic) {
            for (index, change) in changes.enumerated() { try check(change, at: index) }
        }
        var revisions: [Revision?] = []
        for (index, change) in changes.enumerated() {
            try check(change, at: index)
            revisions.append(make(change))
        }
        return revisions
    }

    /// Whether a change can be made to what is there.
    private func check(_ change: StoreChange, at index: Int) throws(PushError) {
        let key = change.key
        let refusal = StoreRefusal(
            index: index, found: damaged.contains(key) ? .unknown : .init(records[key]))
        let isMade =
            switch change {
            case .create: records[key] == nil
            case .replace(_, let revision, _), .delete(_, let revision):
                records[key]?.revision == revision
            case .exists: records[key] != nil
            }
        do throws(PushError) {
            if case .exists = change {} else if let error = refuses?(key) { throw error }
            try refuseDamaged(key)
            if !isMade { throw PushError(.conflict, "Another writer was first.") }
        } catch {
            throw error.refusing(refusal)
        }
    }

    private func make(_ change: StoreChange) -> Revision? {
        if case .exists(let key) = change { return records[key]?.revision }
        lastRevision += 1
        let revision = Revision(lastRevision)
        switch change {
        case .create(let key, let value), .replace(let key, _, let value):
            records[key] = (value, revision)
        case .delete(let key, _):
            records[key] = nil
        case .exists: break
        }
        waiting.remove(change.key)
        return records[change.key]?.revision
    }

    private func stored(_ key: RecordKey) -> StoredRecord {
        do throws(PushError) {
            try refuseDamaged(key)
            return StoredRecord(key, .success(records[key]))
        } catch {
            return StoredRecord(key, .failure(error))
        }
    }

    /// How many records it holds, damaged ones included.
    public var count: Int { records.count + damaged.count }

    private func refuseDamaged(_ key: RecordKey) throws(PushError) {
        if damaged.contains(key) { throw PushError(.malformed, "The record is damaged.") }
    }
}
