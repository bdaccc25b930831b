/// The credentials that were read and written while one turn ran, or one message was received: a
/// provider's ten reads of its credential are one trip to the store.
///
/// Turns are exclusive in a process. What another process writes meanwhile is found by compare-and-set,
/// as ever: then, after any error, and after any reply that isn't a success, everything is forgotten.
actor RecordMemo {
    /// The one of the turn that runs.
    static let current = TaskLocal<RecordMemo?>(wrappedValue: nil)

    private let owner: ObjectIdentifier
    private var records: [RecordKey: (value: Secret, revision: Revision)?] = [:]
    private var isOver = false

    /// Creates an empty one.
    ///
    /// - Parameter environment: The environment whose store it remembers; another's isn't.
    init(for environment: Environment) {
        owner = environment.identity
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

extension Environment {
    /// Runs a function that remembers the credentials it reads.
    func remembering<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let memo = RecordMemo(for: self)
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
        let found = try await forgettingOnError(memo) { () async throws(PushError) in
            try await store.read(key)
        }
        await memo.note(found, under: key, of: owner)
        return found
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
