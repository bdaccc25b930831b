import PushCore
import PushTesting

/// A store that can be backed up and restored, and remembers all that was ever written.
actor Flash: CredentialStore {
    private let store = InMemoryStore()
    private(set) var written: [[UInt8]] = []
    private(set) var now: [RecordKey: [UInt8]] = [:]
    private var watchers: [(bytes: [UInt8], CheckedContinuation<Void, Never>)] = []

    /// How many records it holds.
    var count: Int { now.count }

    /// Refuses writes, by key.
    func refuseWrites(_ refuses: (@Sendable (RecordKey) -> PushError?)?) async {
        await store.refuseWrites(refuses)
    }

    /// Damages a record.
    func damage(_ key: RecordKey) async { await store.damage(key) }

    /// Returns once a record held these bytes.
    func untilWritten(_ bytes: [UInt8]) async {
        guard !everHeld(bytes) else { return }
        await withCheckedContinuation { watchers.append((bytes, $0)) }
    }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await store.read(key)
    }

    @discardableResult
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let revision = try await store.write(value, for: key, replacing: revision, waits: waits)
        if let value { written.append(value.bytesForTest) }
        now[key] = value?.bytesForTest
        for watcher in watchers where everHeld(watcher.bytes) { watcher.1.resume() }
        watchers.removeAll { everHeld($0.bytes) }
        return revision
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await store.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await store.names(in: collection, waiting: waiting, after: name, limit: limit)
    }

    /// Everything that is in it.
    func backup() -> [RecordKey: [UInt8]] { now }

    /// Puts back what a backup holds, and takes away what it doesn't.
    func restore(
        _ backup: [RecordKey: [UInt8]], where isMeant: (RecordKey) -> Bool = { _ in true }
    ) async throws {
        for key in Set(now.keys).union(backup.keys) where isMeant(key) {
            let revision = try await store.read(key)?.revision
            guard revision != nil || backup[key] != nil else { continue }
            // Whether work waits in it isn't in the backup.
            _ = try await write(
                backup[key].map { Secret($0) }, for: key, replacing: revision, waits: true)
        }
    }

    /// Whether bytes were ever written, plain, in hexadecimal digits or in base 64.
    func everHeld(_ bytes: [UInt8]) -> Bool {
        let hex = OOC.hex(bytes)
        let forms = [bytes, Array(hex.utf8), Array(hex.lowercased().utf8)]
        return written.contains { record in forms.contains { Self.run($0, isIn: record) } }
    }

    /// How many enrollments it holds.
    var credentials: Int { now.keys.count { $0.collection == "enrollment" } }

    static func run(_ run: [UInt8], isIn bytes: [UInt8]) -> Bool {
        guard let first = run.first, bytes.count >= run.count else { return false }
        return bytes.indices.dropLast(run.count - 1).contains { index in
            bytes[index] == first && bytes[index..<index + run.count].elementsEqual(run)
        }
    }
}
