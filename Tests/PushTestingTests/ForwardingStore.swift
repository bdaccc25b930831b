import PushCore
import PushTesting

/// A store that has only what each must, and that another one does, but for what a test says otherwise.
protocol ForwardingStore: CredentialStore {
    var behind: InMemoryStore { get }
}

extension ForwardingStore {
    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await behind.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await behind.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await behind.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await behind.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}
