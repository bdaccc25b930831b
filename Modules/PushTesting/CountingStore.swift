package import PushCore

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
