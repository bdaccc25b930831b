import PushCore

/// A store that counts what is read of it: each record, and each name of a list.
actor CountingStore: CredentialStore {
    private let store: any CredentialStore
    private(set) var count = 0

    init(_ store: any CredentialStore) { self.store = store }

    /// How much is read while something happens.
    nonisolated func during(_ body: () async throws -> Void) async rethrows -> Int {
        let before = await count
        try await body()
        return await count - before
    }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        count += 1
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        try await store.write(value, for: key, replacing: revision)
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await store.discard(key) }

    func names(in collection: String) async throws(PushError) -> [String] {
        let names = try await store.names(in: collection)
        count += names.count
        return names
    }
}
