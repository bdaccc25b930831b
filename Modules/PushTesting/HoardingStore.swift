package import PushCore

/// A store that remembers everything that was ever written to it, counts what it is asked, and can be
/// backed up and restored.
package actor HoardingStore: CredentialStore {
    private let store = InMemoryStore()

    /// Every value that was ever written, in order.
    package private(set) var written: [[UInt8]] = []

    /// What it holds.
    package private(set) var now: [RecordKey: [UInt8]] = [:]

    /// How often it was asked.
    package private(set) var cost = Cost()

    private var counts: [String: Int] = [:]
    private var watchers: [Watcher] = []

    private struct Watcher {
        let isReached: @Sendable (isolated HoardingStore) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// How often a store was asked.
    package struct Cost: Hashable, Sendable {
        /// Records that were read.
        package var reads = 0
        /// Collections that were listed.
        package var listings = 0

        /// What was asked since.
        package static func - (one: Cost, other: Cost) -> Cost {
            Cost(reads: one.reads - other.reads, listings: one.listings - other.listings)
        }
    }

    /// Creates an empty store.
    package init() {}

    /// How many records there are.
    package var count: Int { now.count }

    /// Refuses writes, by key; `nil` for none.
    package func refuseWrites(_ refuses: (@Sendable (RecordKey) -> PushError?)?) async {
        await store.refuseWrites(refuses)
    }

    /// Damages a record.
    package func damage(_ key: RecordKey) async { await store.damage(key) }

    /// Reads a record.
    package func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        cost.reads += 1
        return try await store.read(key)
    }

    /// Writes a record, and remembers what it held.
    @discardableResult
    package func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let revision = try await store.write(value, for: key, replacing: revision, waits: waits)
        let bytes = value?.withBytes { Array($0) }
        if let bytes { written.append(bytes) }
        now[key] = bytes
        counts[key.collection, default: 0] += 1
        let reached = watchers.filter { $0.isReached(self) }
        watchers.removeAll { $0.isReached(self) }
        for watcher in reached { watcher.continuation.resume() }
        return revision
    }

    /// How often a record of a collection was written.
    package func writes(in collection: String) -> Int { counts[collection] ?? 0 }

    /// Returns once records of a collection were written so often.
    package func wait(for count: Int, in collection: String) async {
        await wait { $0.writes(in: collection) >= count }
    }

    /// Returns once a write has brought what a test waits for.
    package func wait(
        until isReached: @escaping @Sendable (isolated HoardingStore) -> Bool
    ) async {
        guard !isReached(self) else { return }
        await withCheckedContinuation { continuation in
            watchers.append(Watcher(isReached: isReached, continuation: continuation))
        }
    }

    /// Discards a record.
    package func discard(_ key: RecordKey) async throws(PushError) { try await store.discard(key) }

    /// A part of a collection's names.
    package func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        cost.listings += 1
        return try await store.names(in: collection, waiting: waiting, after: name, limit: limit)
    }

    /// Everything that is in it.
    package func backup() -> [RecordKey: [UInt8]] { now }

    /// Puts back what a backup holds, and takes away what it doesn't.
    package func restore(
        _ backup: [RecordKey: [UInt8]], where isMeant: (RecordKey) -> Bool = { _ in true }
    ) async throws(PushError) {
        for key in Set(now.keys).union(backup.keys) where isMeant(key) {
            let revision = try await store.read(key)?.revision
            guard revision != nil || backup[key] != nil else { continue }
            // Whether work waits in it isn't in the backup.
            try await write(
                backup[key].map { Secret($0) }, for: key, replacing: revision, waits: true)
        }
    }
}
