public import PushCore

/// A store that forgets everything when it goes, for tests and demonstrations.
public actor InMemoryStore: CredentialStore {
    private var records: [RecordKey: (value: Secret, revision: Revision)] = [:]
    private var lastRevision: UInt64 = 0
    private var refuses: (@Sendable (RecordKey) -> PushError?)?

    /// Creates an empty store.
    public init() {}

    /// Makes writes fail: the closure says with what, `nil` for not at all.
    public func refuseWrites(_ refuses: (@Sendable (RecordKey) -> PushError?)?) {
        self.refuses = refuses
    }

    /// A record and its revision; `nil` if there is none.
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        records[key]
    }

    /// Writes a record, if nobody else changed it meanwhile.
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) {
        if let error = refuses?(key) { throw error }
        guard records[key]?.revision == revision else {
            throw PushError(.conflict, "Another writer was first.")
        }
        lastRevision += 1
        records[key] = value.map { ($0, Revision(lastRevision)) }
    }

    /// The names of all records of a collection, sorted, so that tests repeat.
    public func names(in collection: String) async throws(PushError) -> [String] {
        records.keys.filter { $0.collection == collection }.map(\.name).sorted()
    }

    /// How many records it holds.
    public var count: Int { records.count }
}
