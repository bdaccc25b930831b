import PushCore
import PushTesting

/// A store at which another process gets in between, once, just before a write.
actor ContestedStore: CredentialStore {
    typealias Interruption = @Sendable (InMemoryStore) async -> Void

    let shared: InMemoryStore
    private var discardings: [Interruption] = []
    private var interruptions: [(collection: String, body: Interruption)] = []

    init(_ shared: InMemoryStore) { self.shared = shared }

    /// Before the next write to a collection, runs `body` on the store behind.
    func interrupt(_ collection: String, _ body: @escaping Interruption) {
        interruptions.append((collection, body))
    }

    /// Before the next write to a collection, writes every record of it again, unchanged.
    func touch(_ collection: String) {
        interrupt(collection) { store in
            let waiting = Set((try? await store.names(in: collection, waiting: true)) ?? [])
            for name in (try? await store.names(in: collection)) ?? [] {
                let key = RecordKey(collection, name)
                guard let found = try? await store.read(key) else { continue }
                _ = try? await store.write(
                    found.value, for: key, replacing: found.revision, waits: waiting.contains(name))
            }
        }
    }

    /// Before the next damaged record is discarded, runs `body` on the store behind.
    func interruptDiscarding(_ body: @escaping Interruption) { discardings.append(body) }

    /// How many interruptions haven't come yet.
    var remaining: Int { interruptions.count + discardings.count }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await shared.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        if let index = interruptions.firstIndex(where: { $0.collection == key.collection }) {
            await interruptions.remove(at: index).body(shared)
        }
        return try await shared.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        if !discardings.isEmpty { await discardings.removeFirst()(shared) }
        try await shared.discard(key)
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await shared.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}
