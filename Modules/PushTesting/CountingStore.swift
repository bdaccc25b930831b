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

    /// How often the store was asked for anything: each is a trip to one beyond this machine.
    package private(set) var trips = 0

    /// How many of the trips were writes that must last.
    package private(set) var durableTrips = 0

    /// What it can do: as much as the one behind.
    package nonisolated let traits: StoreTraits

    /// Creates a store that has counted nothing.
    package init(_ store: any CredentialStore = InMemoryStore()) {
        self.store = store
        traits = store.traits
    }

    /// Reads a record.
    package func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        trips += 1
        reads += 1
        return try await store.read(key)
    }

    /// Writes a record, if nobody else changed it meanwhile.
    @discardableResult
    package func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        trips += 1
        durableTrips += 1
        do throws(PushError) {
            let written = try await store.write(
                value, for: key, replacing: revision, waits: waits)
            writes += 1
            return written
        } catch {
            refusals += 1
            throw error
        }
    }

    /// Takes a damaged record away.
    package func discard(_ key: RecordKey) async throws(PushError) {
        trips += 1
        writes += 1
        try await store.discard(key)
    }

    /// Reads several records by one trip.
    package func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        trips += 1
        reads += keys.count
        return try await store.read(all: keys)
    }

    /// Reads a part of a collection by one trip.
    package func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        trips += 1
        listings += 1
        let page = try await store.page(of: collection, after: name, limit: limit)
        reads += page.records.count
        return page
    }

    /// Makes several changes by one trip.
    @discardableResult
    package func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        trips += 1
        durableTrips += 1
        do throws(PushError) {
            let revisions = try await store.commit(changes)
            writes += changes.count { if case .exists = $0 { false } else { true } }
            return revisions
        } catch {
            refusals += 1
            throw error
        }
    }

    /// A part of a collection's names by one trip.
    package func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        trips += 1
        listings += 1
        let page = try await store.names(
            in: collection, waiting: waiting, after: name, limit: limit)
        names += page.names.count
        return page
    }
}
