public import PushCore

/// A store that forgets everything when it goes, for tests and demonstrations.
public actor InMemoryStore: WalkableStore {
    private var records: [RecordKey: (value: Secret, revision: Revision)] = [:]
    private var waiting: Set<RecordKey> = []
    private var damaged: Set<RecordKey> = []
    private var lastRevision: UInt64 = 0
    private var refuses: (@Sendable (RecordKey) -> PushError?)?

    /// Whether it says that processes on several machines use it.
    public nonisolated let isShared: Bool

    /// Creates an empty store.
    ///
    /// - Parameter isShared: Whether it does as a server's store: it says that processes on several
    ///   machines use it, and what it found where it refuses a write.
    public init(isShared: Bool = false) {
        self.isShared = isShared
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
            throw PushError(
                .conflict, "Another writer was first.", found: isShared ? records[key] : nil)
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

    /// A part of everything, in the order of the bytes of collections, then of names.
    ///
    /// - Throws: Nothing.
    public func page(after key: RecordKey?, limit: Int) async throws(PushError) -> (
        records: [StoredRecord], isLast: Bool
    ) {
        let keys = damaged.union(records.keys).filter { next in
            key.map { Self.precedes($0, next) } ?? true
        }
        let page = keys.sorted(by: Self.precedes).prefix(max(1, limit)).map(stored)
        return (page, isLast: page.count == keys.count)
    }

    private static func precedes(_ one: RecordKey, _ other: RecordKey) -> Bool {
        let (first, second) = (one.collection.utf8, other.collection.utf8)
        return first.elementsEqual(second)
            ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
            : first.lexicographicallyPrecedes(second)
    }

    private func stored(_ key: RecordKey) -> StoredRecord {
        StoredRecord(
            key,
            Result { () throws(PushError) in
                try refuseDamaged(key)
                return records[key]
            })
    }

    /// How many records it holds, damaged ones included.
    public var count: Int { records.count + damaged.count }

    private func refuseDamaged(_ key: RecordKey) throws(PushError) {
        if damaged.contains(key) { throw PushError(.malformed, "The record is damaged.") }
    }
}
