import IndependentEncodings
import PushCore
import PushTesting

/// A store that remembers everything that was ever written to it.
actor Hoard: CredentialStore {
    private let store = InMemoryStore()
    private(set) var written: [[UInt8]] = []
    private(set) var now: [RecordKey: [UInt8]] = [:]
    private(set) var cost = Cost()

    /// How often the store was asked.
    struct Cost: Hashable, Sendable {
        var reads = 0
        var listings = 0

        static func - (one: Cost, other: Cost) -> Cost {
            Cost(reads: one.reads - other.reads, listings: one.listings - other.listings)
        }
    }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        cost.reads += 1
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        let revision = try await store.write(value, for: key, replacing: revision)
        if let value { written.append(value.copied) }
        now[key] = value?.copied
        return revision
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await store.discard(key) }

    func names(in collection: String) async throws(PushError) -> [String] {
        cost.listings += 1
        return try await store.names(in: collection)
    }

    /// Whether something was ever written, in any form in which it could be.
    func everHeld(_ bytes: [UInt8]) -> Bool {
        bytes.forms.contains { form in written.contains { $0.contains(run: form) } }
    }

    func holds(_ bytes: [UInt8]) -> Bool {
        bytes.forms.contains { form in now.values.contains { $0.contains(run: form) } }
    }

    /// How many records there are.
    var count: Int { now.count }
}
