public import PushCore

/// A store that forgets everything when it goes, for tests and demonstrations.
public actor InMemoryStore: CredentialStore {
    private var records: [RecordKey: (value: Secret, revision: Revision)] = [:]
    private var finished: Set<RecordKey> = []
    private var damaged: Set<RecordKey> = []
    private var lastRevision: UInt64 = 0
    private var refuses: (@Sendable (RecordKey) -> PushError?)?

    /// Creates an empty store.
    public init() {}

    /// Makes writes fail: the closure says with what, `nil` for not at all.
    public func refuseWrites(_ refuses: (@Sendable (RecordKey) -> PushError?)?) {
        self.refuses = refuses
    }

    /// Damages a record, whether it is there or not: until it is discarded, it is named, and
    /// reading and writing it throws `malformed`.
    public func damage(_ key: RecordKey) {
        records[key] = nil
        finished.remove(key)
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

    /// Writes a record, if nobody else changed it meanwhile.
    ///
    /// - Throws: `PushError` with the code `conflict` if the revision is another one, `malformed`
    ///   if the record was damaged, or what the test refuses writes with.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        try await write(value, for: key, replacing: revision, isFinished: false)
    }

    /// Writes a record, and keeps whether it is finished.
    ///
    /// - Throws: `PushError` with the codes of ``write(_:for:replacing:)``: `conflict` or
    ///   `malformed`, or what the test refuses writes with.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, isFinished: Bool
    ) async throws(PushError) -> Revision? {
        if let error = refuses?(key) { throw error }
        try refuseDamaged(key)
        guard records[key]?.revision == revision else {
            throw PushError(.conflict, "Another writer was first.")
        }
        lastRevision += 1
        records[key] = value.map { ($0, Revision(lastRevision)) }
        if value != nil, isFinished { finished.insert(key) } else { finished.remove(key) }
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

    /// The names of all records of a collection, sorted, so that tests repeat.
    ///
    /// - Throws: Nothing.
    public func names(in collection: String) async throws(PushError) -> [String] {
        names(of: damaged.union(records.keys), in: collection)
    }

    /// The names of a collection's records but the finished ones, sorted.
    ///
    /// - Throws: Nothing.
    public func unfinishedNames(in collection: String) async throws(PushError) -> [String] {
        names(of: damaged.union(records.keys).subtracting(finished), in: collection)
    }

    private func names(of keys: Set<RecordKey>, in collection: String) -> [String] {
        keys.filter { $0.collection.utf8.elementsEqual(collection.utf8) }
            .map(\.name)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// How many records it holds, damaged ones included.
    public var count: Int { records.count + damaged.count }

    private func refuseDamaged(_ key: RecordKey) throws(PushError) {
        if damaged.contains(key) { throw PushError(.malformed, "The record is damaged.") }
    }
}

/// A store in front of another one that counts what is asked of it.
package actor CountingStore: CredentialStore {
    private let store: any CredentialStore

    /// How often a record was read.
    package private(set) var reads = 0

    /// How often a record was written, deleted or discarded.
    package private(set) var writes = 0

    /// How often a write was refused, such as by compare-and-set; it changed nothing.
    package private(set) var refusals = 0

    /// How often the names of a collection were read.
    package private(set) var listings = 0

    /// How many names were returned in all.
    package private(set) var names = 0

    /// Creates a store that has counted nothing.
    package init(_ store: any CredentialStore = InMemoryStore()) { self.store = store }

    /// How often the store was asked for anything: each is a trip to one beyond this machine.
    package var trips: Int { reads + writes + refusals + listings }

    /// Reads a record.
    package func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        reads += 1
        return try await store.read(key)
    }

    /// Writes a record, if nobody else changed it meanwhile.
    @discardableResult
    package func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        try await write(value, for: key, replacing: revision, isFinished: false)
    }

    /// The same, and says whether the record is finished.
    @discardableResult
    package func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, isFinished: Bool
    ) async throws(PushError) -> Revision? {
        do throws(PushError) {
            let written = try await store.write(
                value, for: key, replacing: revision, isFinished: isFinished)
            writes += 1
            return written
        } catch {
            refusals += 1
            throw error
        }
    }

    /// Takes a damaged record away.
    package func discard(_ key: RecordKey) async throws(PushError) {
        writes += 1
        try await store.discard(key)
    }

    /// The names of all records of a collection.
    package func names(in collection: String) async throws(PushError) -> [String] {
        listings += 1
        let found = try await store.names(in: collection)
        names += found.count
        return found
    }

    /// The names of a collection's records but the finished ones.
    package func unfinishedNames(in collection: String) async throws(PushError) -> [String] {
        listings += 1
        let found = try await store.unfinishedNames(in: collection)
        names += found.count
        return found
    }
}
