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

    /// How often the store was asked for anything: each is a trip to one beyond this machine.
    package private(set) var trips = 0

    /// How many of the trips were writes that must last.
    package private(set) var durableTrips = 0

    /// Whether processes on several machines use the store behind.
    package nonisolated var isShared: Bool { store.isShared }

    /// Creates a store that has counted nothing.
    package init(_ store: any CredentialStore = InMemoryStore()) {
        self.store = store
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
        let written = try await store.write(value, for: key, replacing: revision, waits: waits)
        writes += 1
        return written
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

extension CountingStore {
    /// What a login cost: the trips of its three parts, how many of them were writes that must last,
    /// and what came of it.
    package struct Login: Sendable {
        /// The trips while it came, while it was opened, and while it was approved.
        package let trips: [Int]

        /// How many of all trips were writes that must last.
        package let durable: Int

        /// What the vendor said.
        package let outcome: Outcome
    }

    /// Counts the trips of a login that is approved.
    ///
    /// - Parameters:
    ///   - phone: Who approves it.
    ///   - arrival: Receives what announces it.
    /// - Returns: What it cost.
    /// - Throws: What `arrival` or the authenticator throws.
    package nonisolated func login(
        at phone: PushAuthenticator, _ arrival: () async throws -> Challenge.ID
    ) async throws -> Login {
        let (start, durable) = (await trips, await durableTrips)
        let id = try await arrival()
        let received = await trips
        let challenge = try await phone.challenge(id)
        let opened = await trips
        let outcome = try await phone.resolve(challenge, with: .approve)
        return Login(
            trips: [received - start, opened - received, await trips - opened],
            durable: await durableTrips - durable, outcome: outcome)
    }
}
