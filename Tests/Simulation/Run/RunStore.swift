import PushCore

/// One process's view of the store that all share. Each call is a step: the process may be killed
/// before it or after it, and the call may fail.
struct RunStore: CredentialStore {
    let world: SimulatedRun
    let life: Life

    var isShared: Bool { world.settings.isShared }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        let diesAfter = try await world.admit(life)
        try await end(diesAfter)
        try fail(key, .readFailed)
        return try found(key)
    }

    private func found(
        _ key: RecordKey
    ) throws(PushError) -> (value: Secret, revision: Revision)? {
        guard !world.damaged.contains(key) else { throw Self.malformed }
        guard world.mutation == .confusesServices, key.collection == "device",
            let record = world.records[key],
            let other = world.records[RecordKey("device", key.name == "fcm" ? "apns" : "fcm")]
        else { return world.records[key] }
        return (other.value, record.revision)
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        guard world.settings.isServer else { return try await oneByOne(keys) }
        let diesAfter = try await world.admit(life)
        try await end(diesAfter)
        if let key = keys.first { try fail(key, .readFailed) }
        if keys.count > 1 { world.tally.count(.readTogether) }
        return keys.map { key in
            StoredRecord(key, Result { () throws(PushError) in try found(key) })
        }
    }

    private func oneByOne(_ keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        for key in keys {
            do throws(PushError) {
                records.append(StoredRecord(key, .success(try await read(key))))
            } catch  where error.code == .malformed {
                records.append(StoredRecord(key, .failure(error)))
            }
        }
        return records
    }

    /// What became of a write may be unknown to the one who asked.
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        guard value != nil || revision != nil else {
            throw PushError(.invalidArgument, "Nothing is to be deleted.")
        }
        let diesAfter = try await world.admit(life)
        try fail(key, .writeFailed)
        try check(key, replacing: revision)
        let isUnknown = !world.isHealed && world.draw.percent(world.settings.storeFaults)
        if isUnknown, world.draw.percent(50) {
            world.tally.count(.unknownUnmade)
            world.note("p\(life.process) may have written, and hasn't")
            try await end(diesAfter)
            throw Self.unknown
        }
        let written = make(value, key, replacing: revision, waits)
        try await end(diesAfter)
        await world.hop()
        if !life.isAlive { throw await world.buried() }
        if isUnknown {
            world.tally.count(.unknownMade)
            world.note("p\(life.process) may have written, and has")
            throw Self.unknown
        }
        return written
    }

    private func check(_ key: RecordKey, replacing revision: Revision?) throws(PushError) {
        guard !world.damaged.contains(key) else { throw Self.malformed }
        let isBlind =
            world.mutation == .decidesAnyway && revision != nil
            && key.collection == RecordKey.enrollments
        guard world.records[key]?.revision != revision, !isBlind,
            world.mutation != .ignoresRevisions, world.mutation != .takesConflicts
        else { return }
        world.tally.count(.conflict)
        world.note("p\(life.process) write \(key.short) conflicts")
        // A server says what is there, and spares a read.
        throw PushError(
            .conflict, "Another process was first.",
            found: world.settings.isServer ? world.records[key] : nil)
    }

    private func make(
        _ value: Secret?, _ key: RecordKey, replacing old: Revision?, _ waits: Bool
    ) -> Revision? {
        world.lastRevision += 1
        let written = Revision(world.lastRevision)
        let isLied =
            world.mutation == .takesConflicts && world.records[key]?.revision != old
        if !isLied, !isForgotten(value, key) {
            world.keep(value, at: written, for: key, waits: waits)
        }
        world.note("p\(life.process) \(value == nil ? "delete" : "write") \(key.short)")
        return value == nil ? nil : written
    }

    /// Whether a broken store only says that it wrote.
    private func isForgotten(_ value: Secret?, _ key: RecordKey) -> Bool {
        guard let mutation = world.mutation,
            [.keepsRows, .losesCounters, .pretendsToWrite].contains(mutation),
            let old = world.document(key)
        else { return false }
        guard let value else { return mutation == .keepsRows }
        guard let new = RecordedDocument(value) else { return false }
        let isAffected =
            mutation == .losesCounters && new.credential != old.credential
            || mutation == .pretendsToWrite && new.challenges != old.challenges
        return isAffected && world.draw.percent(30)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        let diesAfter = try await world.admit(life)
        try fail(key, .writeFailed)
        guard world.damaged.remove(key) != nil else {
            guard world.records[key] != nil else { return try await end(diesAfter) }
            throw PushError(.conflict, "The record is whole.")
        }
        world.records[key] = nil
        world.waiting.remove(key)
        world.note("p\(life.process) discard \(key.short)")
        try await end(diesAfter)
    }

    /// Two names at a time, so that a walk can be cut short.
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let diesAfter = try await world.admit(life)
        try await end(diesAfter)
        try fail(RecordKey(collection, ""), .readFailed)
        let isMarked = waiting && world.settings.marksWaiting
        if isMarked { world.tally.count(.namedByMark) }
        let names = world.records.keys.filter { key in
            key.collection == collection
                && (!isMarked || world.waiting.contains(key) || world.damaged.contains(key))
        }.map(\.name)
        return NamePage(of: names, after: name, limit: min(limit, 2))
    }

    private static let unknown = PushError(.storageUnknown, "The reply was lost.")
    private static let malformed = PushError(.malformed, "The record is damaged.")

    private func end(_ dies: Bool) async throws(PushError) {
        guard dies else { return }
        world.kill(life)
        throw await world.buried()
    }

    private func fail(_ key: RecordKey, _ event: Tally.Event) throws(PushError) {
        guard !world.isHealed, world.isLocked || world.draw.percent(world.settings.storeFaults)
        else { return }
        world.tally.count(event)
        world.note("p\(life.process) \(event) \(key.short)")
        throw PushError(.storage, "The store is locked or full.")
    }
}
