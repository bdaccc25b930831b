import IndependentEncodings
import PushCore
import PushTesting

/// A store that remembers everything that was ever written to it.
actor Hoard: CredentialStore {
    private let store = InMemoryStore()
    private(set) var written: [[UInt8]] = []
    private(set) var now: [RecordKey: [UInt8]] = [:]
    private(set) var cost = Cost()
    private var counts: [String: Int] = [:]
    private var watchers: [Watcher] = []

    private struct Watcher {
        let collection: String
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    /// The collection of the tokens that an app has given to one enrollment alone.
    static let ownTokens = "device/enrollment"

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
        counts[key.collection, default: 0] += 1
        let reached = watchers.filter { writes(in: $0.collection) >= $0.count }
        watchers.removeAll { writes(in: $0.collection) >= $0.count }
        for watcher in reached { watcher.continuation.resume() }
        return revision
    }

    /// How often a record of a collection was written.
    func writes(in collection: String) -> Int { counts[collection] ?? 0 }

    /// Returns once records of a collection were written so often.
    func wait(for count: Int, in collection: String) async {
        guard writes(in: collection) < count else { return }
        await withCheckedContinuation { continuation in
            watchers.append(
                Watcher(collection: collection, count: count, continuation: continuation))
        }
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
