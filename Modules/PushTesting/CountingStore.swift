package import PushCore

/// A store in front of another one that counts what is asked of it.
package actor CountingStore: CredentialStore {
    private let store: any CredentialStore

    /// How often a record was read.
    package private(set) var reads = 0

    /// How often a record was written, deleted or discarded.
    package private(set) var writes = 0

    /// How often the names of a collection were read.
    package private(set) var listings = 0

    /// How many names were returned in all.
    package private(set) var names = 0

    package init(_ store: any CredentialStore = InMemoryStore()) { self.store = store }

    /// How often the store was asked for anything.
    package var trips: Int { reads + writes + listings }

    package func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        reads += 1
        return try await store.read(key)
    }

    package func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) {
        writes += 1
        try await store.write(value, for: key, replacing: revision)
    }

    package func discard(_ key: RecordKey) async throws(PushError) {
        writes += 1
        try await store.discard(key)
    }

    package func names(in collection: String) async throws(PushError) -> [String] {
        listings += 1
        let found = try await store.names(in: collection)
        names += found.count
        return found
    }
}
