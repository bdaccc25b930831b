/// The credentials that were read and written while one turn ran, or one message was received: a
/// provider's ten reads of its credential are one trip to the store.
///
/// Turns are exclusive in a process. What another process writes meanwhile is found by compare-and-set,
/// as ever: then, after any error, and after any reply that isn't a success, everything is forgotten.
actor RecordMemo {
    /// The one of the turn that runs.
    static let current = TaskLocal<RecordMemo?>(wrappedValue: nil)

    /// What is read with a credential, by the credential's key.
    typealias Along = @Sendable (RecordKey) -> [RecordKey]

    private let owner: ObjectIdentifier
    private var records: [RecordKey: (value: Secret, revision: Revision)?] = [:]
    private var along: Along?
    private var isOver = false

    /// Creates one.
    ///
    /// - Parameters:
    ///   - environment: The environment whose store it remembers; another's isn't.
    ///   - known: What was read shortly before.
    ///   - along: What else is read by the first trip to the store.
    init(for environment: Environment, knowing known: KnownRecord? = nil, along: Along? = nil) {
        owner = environment.identity
        self.along = along
        if let known { records[known.key] = .some(known.content) }
    }

    /// What is to be read with a record, once.
    func takeAlong(with key: RecordKey) -> [RecordKey] {
        defer { along = nil }
        return along?(key) ?? []
    }

    /// Records that were read along, for one use; `nil` unless all are known.
    func take(_ keys: [RecordKey], of owner: ObjectIdentifier) -> [StoredRecord]? {
        guard owner == self.owner, keys.allSatisfy({ records[$0] != nil }) else { return nil }
        return keys.map { key in
            StoredRecord(key, .success(records.removeValue(forKey: key) ?? nil))
        }
    }

    /// A record as it was last read or written; `nil` if that isn't known.
    func record(
        _ key: RecordKey, of owner: ObjectIdentifier
    ) -> (value: Secret, revision: Revision)?? {
        owner == self.owner ? records[key] : .none
    }

    /// Remembers a record; `nil` if the store has none.
    func note(
        _ record: (value: Secret, revision: Revision)?, under key: RecordKey,
        of owner: ObjectIdentifier
    ) {
        guard !isOver, owner == self.owner else { return forget(key) }
        records[key] = .some(record)
    }

    /// Forgets a record.
    func forget(_ key: RecordKey) { records[key] = nil }

    /// Forgets everything.
    func forgetAll() { records = [:] }

    /// Ends it: what goes on in the background reads the store.
    func end() {
        records = [:]
        isOver = true
    }

    /// Forgets everything that the present turn has read.
    static func forgetAll() async {
        await current.get()?.forgetAll()
    }
}

/// A record as it was read shortly before.
struct KnownRecord: Sendable {
    let key: RecordKey
    let content: (value: Secret, revision: Revision)
}

extension Environment {
    /// Runs a function that remembers the credentials it reads.
    ///
    /// - Parameters:
    ///   - isolation: The actor that it runs on.
    ///   - known: What was read shortly before. If it is old, compare-and-set finds out.
    ///   - along: What is read with the first credential, where the store saves trips.
    ///   - body: What is done.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws.
    func remembering<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, knowing known: KnownRecord? = nil,
        along: RecordMemo.Along? = nil, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let savesTrips = store.traits.contains(.atomic)
        let memo = RecordMemo(
            for: self, knowing: savesTrips ? known : nil, along: savesTrips ? along : nil)
        let result = await RecordMemo.current.withValue(memo) {
            await Result { () async throws(PushError) in try await body() }
        }
        await memo.end()
        return try result.get()
    }
}

/// A store in which a turn finds again what it has read.
struct RememberingStore: CredentialStore {
    private let store: any CredentialStore
    private let owner: ObjectIdentifier

    init(_ store: any CredentialStore, of environment: ObjectIdentifier) {
        self.store = store
        owner = environment
    }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        guard let memo = RecordMemo.current.get() else { return try await store.read(key) }
        if let known = await memo.record(key, of: owner) { return known }
        let along = await memo.takeAlong(with: key)
        let found = try await forgettingOnError(memo) { () async throws(PushError) in
            guard !along.isEmpty else { return try await store.read(key) }
            let all = try await store.read(all: [key] + along)
            for record in all.dropFirst() {
                // What is damaged is read again by whoever needs it.
                guard case .success(let content) = record.content else { continue }
                await memo.note(content, under: record.key, of: owner)
            }
            return try all.first?.content.get()
        }
        await memo.note(found, under: key, of: owner)
        return found
    }

    /// A record as the present turn knows it, where reading it again would be a trip.
    func known(_ key: RecordKey) async -> KnownRecord? {
        guard store.traits.contains(.atomic), let memo = RecordMemo.current.get(),
            let content = await memo.record(key, of: owner) ?? nil
        else { return nil }
        return KnownRecord(key: key, content: content)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        guard let memo = RecordMemo.current.get() else {
            return try await store.write(value, for: key, replacing: revision)
        }
        await memo.forget(key)
        let new = try await forgettingOnError(memo) { () async throws(PushError) in
            try await store.write(value, for: key, replacing: revision)
        }
        if let value, let new {
            await memo.note((value, new), under: key, of: owner)
        } else {
            await memo.forget(key)
        }
        return new
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        try await store.read(all: keys)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        await RecordMemo.forgetAll()
        try await store.discard(key)
    }

    func names(in collection: String) async throws(PushError) -> [String] {
        try await store.names(in: collection)
    }

    private func forgettingOnError<Value: Sendable>(
        _ memo: RecordMemo, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await body()
        } catch {
            await memo.forgetAll()
            throw error
        }
    }
}
