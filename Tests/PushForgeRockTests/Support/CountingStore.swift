import PushCore
import PushTesting

/// A store that counts what is asked of another one.
actor CountingStore: CredentialStore {
    private let store: InMemoryStore

    /// How often a record, or the names of a collection, were read.
    private(set) var reads = 0

    /// How often a record was written.
    private(set) var writes = 0

    init(_ store: InMemoryStore) { self.store = store }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        reads += 1
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        writes += 1
        return try await store.write(value, for: key, replacing: revision)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        writes += 1
        try await store.discard(key)
    }

    func names(in collection: String) async throws(PushError) -> [String] {
        reads += 1
        return try await store.names(in: collection)
    }
}
