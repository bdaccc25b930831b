/// The credentials that were read and written while one turn ran, or one message was received: a
/// provider's ten reads of its credential are one trip to the store.
///
/// Turns are exclusive in a process. What another process writes meanwhile is found by compare-and-set,
/// as ever: then, after any error, and after any reply that isn't a success, everything is forgotten.
actor RecordMemo {
    /// The one of the turn that runs.
    static let current = TaskLocal<RecordMemo?>(wrappedValue: nil)

    /// What is read with a credential, by the credential's key.
    typealias Along = @Sendable (RecordKey) async -> [RecordKey]

    private let owner: ObjectIdentifier
    private var records: [RecordKey: (value: Secret, revision: Revision)?] = [:]
    private var along: Along?
    private var isOver = false

    /// A write that is held back until the record of a challenge is made, to be one trip with it.
    private(set) var heldBack: HeldBackWrite?
    private var holdsBack: Bool

    /// Creates one.
    ///
    /// - Parameters:
    ///   - owner: The environment whose store it remembers; another's isn't.
    ///   - known: What was read shortly before.
    ///   - along: What else is read by the first trip to the store.
    ///   - holdsBack: Whether the first write of a credential waits for the record of a challenge.
    init(
        of owner: ObjectIdentifier, knowing known: [KnownRecord] = [], along: Along? = nil,
        holdingBack holdsBack: Bool = false
    ) {
        self.owner = owner
        self.along = along
        self.holdsBack = holdsBack
        for known in known { records[known.key] = .some(known.content) }
    }

    /// What is to be read with a record, once.
    func takeAlong(with key: RecordKey) async -> [RecordKey] {
        let along = self.along
        self.along = nil
        return await along?(key) ?? []
    }

    /// All that is known.
    var known: [KnownRecord] { records.map { KnownRecord(key: $0.key, content: $0.value) } }

    /// Records that were read along, for one use; `nil` unless all are known.
    func take(_ keys: [RecordKey], of owner: ObjectIdentifier) -> [StoredRecord]? {
        guard owner == self.owner, keys.allSatisfy({ records[$0] != nil }) else { return nil }
        return keys.map { key in
            StoredRecord(key, .success(records.removeValue(forKey: key) ?? nil))
        }
    }

    /// A record as it was last read or written; `nil` if that isn't known.
    func record(_ key: RecordKey, of owner: ObjectIdentifier) -> KnownRecord? {
        guard owner == self.owner, let content = records[key] else { return nil }
        return KnownRecord(key: key, content: content)
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

    /// Forgets everything but what only it knows.
    func forgetAll() {
        records = [:]
        if let heldBack { records[heldBack.key] = .some((heldBack.value, heldBack.revision)) }
    }

    /// Ends it: what goes on in the background reads the store.
    func end() {
        heldBack = nil
        records = [:]
        isOver = true
    }

    // MARK: A write that waits for another

    /// Holds a write back, if it may wait: the first one of a credential, from the revision that was
    /// read.
    ///
    /// - Returns: Whether it waits.
    func holdBack(
        _ value: Secret, for key: RecordKey, replacing revision: Revision?,
        in store: any CredentialStore, of owner: ObjectIdentifier
    ) -> Bool {
        guard holdsBack, heldBack == nil, !isOver, owner == self.owner, let revision,
            key.credential != nil, (records[key] ?? nil)?.revision == revision
        else { return false }
        holdsBack = false
        heldBack = HeldBackWrite(key: key, value: value, revision: revision, store: store)
        records[key] = .some((value, revision))
        return true
    }

    /// Takes the write that waits, if it is the record's: the caller makes it.
    func takeHeldBack(_ key: RecordKey? = nil) -> HeldBackWrite? {
        guard let heldBack, key == nil || key == heldBack.key else { return nil }
        self.heldBack = nil
        // The store's revision will be another one.
        forget(heldBack.key)
        return heldBack
    }

    /// Notes that a write that waited was made with another.
    func noteWritten(_ value: Secret, under key: RecordKey, as revision: Revision?) {
        _ = takeHeldBack(key)
        if let revision, !isOver { records[key] = .some((value, revision)) }
    }

    /// Makes the write that waits, if one does: before what may only follow it, such as an exchange.
    ///
    /// - Throws: An error that ``PushError/isOvertaken`` if another process was first; what the store
    ///   throws.
    static func writeHeldBack() async throws(PushError) {
        guard let memo = current.get(), let waiting = await memo.takeHeldBack() else { return }
        do throws(PushError) {
            let revisions = try await waiting.store.commit([waiting.change])
            await memo.noteWritten(waiting.value, under: waiting.key, as: revisions.first ?? nil)
        } catch  where error.code == .conflict {
            throw .overtaken
        }
    }

    /// Forgets everything that the present turn has read.
    static func forgetAll() async {
        await current.get()?.forgetAll()
    }
}

/// A record as it was read shortly before.
struct KnownRecord: Sendable {
    let key: RecordKey
    /// `nil` if there was none.
    let content: (value: Secret, revision: Revision)?
}

/// A write that waits, to be one trip with another.
struct HeldBackWrite: Sendable {
    let key: RecordKey
    let value: Secret
    let revision: Revision
    let store: any CredentialStore

    var change: StoreChange { .replace(key, revision, with: value) }
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
        if let known = await memo.record(key, of: owner) { return known.content }
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
            let known = await memo.record(key, of: owner), known.content != nil
        else { return nil }
        return known
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        guard let memo = RecordMemo.current.get() else {
            return try await store.write(value, for: key, replacing: revision, waits: waits)
        }
        if let value, !waits,
            await memo.holdBack(value, for: key, replacing: revision, in: store, of: owner)
        {
            return nil
        }
        // One that waits is part of this one, which was made from it.
        let heldBack = await memo.takeHeldBack(key)
        await memo.forget(key)
        let new = try await forgettingOnError(memo) { () async throws(PushError) in
            do throws(PushError) {
                return try await store.write(value, for: key, replacing: revision, waits: waits)
            } catch  where error.code == .conflict && heldBack != nil {
                throw .overtaken
            }
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

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await store.names(in: collection, waiting: waiting, after: name, limit: limit)
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

extension PushError {
    /// A write that was held back can't be made: another process has changed the record.
    static var overtaken: PushError {
        var error = PushError(.storage, "Another process was first.")
        error.isOvertaken = true
        return error
    }
}
