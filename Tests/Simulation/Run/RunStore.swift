import PushCore

/// One process's view of the store that all share.
struct RunStore: CredentialStore {
    let world: SimulatedRun
    let life: Life

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        let diesAfter = try await world.admit(life)
        try await end(diesAfter)
        try fail(key, .readFailed)
        guard !world.damaged.contains(key) else { throw Self.malformed }
        guard world.mutation == .confusesServices, key.collection == "device",
            let record = world.records[key],
            let other = world.records[RecordKey("device", key.name == "fcm" ? "apns" : "fcm")]
        else { return world.records[key] }
        return (other.value, record.revision)
    }

    var traits: StoreTraits {
        var traits: StoreTraits = []
        if world.settings.isAtomic { traits.insert(.atomic) }
        if world.settings.isShared { traits.insert(.shared) }
        return traits
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let change: StoreChange? =
            switch (value, revision) {
            case (let value?, let revision?): .replace(key, revision, with: value)
            case (let value?, nil): .create(key, value)
            case (nil, let revision?): .delete(key, revision)
            case (nil, nil): nil
            }
        guard let change else {
            throw PushError(.invalidArgument, "Nothing is to be deleted.")
        }
        return try await made([change])[0]
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        guard world.settings.isAtomic else { return try await oneByOne(keys) }
        let diesAfter = try await world.admit(life)
        try await end(diesAfter)
        if let key = keys.first { try fail(key, .readFailed) }
        return keys.map(stored)
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

    func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        if world.settings.isAtomic { world.tally.count(.commit) }
        guard world.settings.isAtomic else {
            var revisions: [Revision?] = []
            for (index, change) in changes.enumerated() {
                do throws(PushError) {
                    revisions += try await made([change])
                } catch {
                    throw error.refusing(StoreRefusal(index: index))
                }
            }
            return revisions
        }
        return try await made(changes)
    }

    /// Makes changes, all or none; what became of them may be unknown to the one who asked.
    private func made(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        let diesAfter = try await world.admit(life)
        if let key = changes.first?.key { try fail(key, .writeFailed) }
        for (index, change) in changes.enumerated() { try check(change, at: index) }
        let isUnknown = !world.isHealed && world.draw.percent(world.settings.storeFaults)
        if isUnknown, world.draw.percent(50) {
            world.tally.count(.unknownUnmade)
            world.note("p\(life.process) may have written, and hasn't")
            try await end(diesAfter)
            throw Self.unknown
        }
        let revisions = changes.map(make)
        try await end(diesAfter)
        await world.hop()
        if !life.isAlive { throw await world.buried() }
        if isUnknown {
            world.tally.count(.unknownMade)
            world.note("p\(life.process) may have written, and has")
            throw Self.unknown
        }
        return revisions
    }

    private func check(_ change: StoreChange, at index: Int) throws(PushError) {
        let key = change.key
        let refusal = StoreRefusal(
            index: index, found: world.damaged.contains(key) ? .unknown : .init(world.records[key]))
        guard !world.damaged.contains(key) else { throw Self.malformed.refusing(refusal) }
        let current = world.records[key]?.revision
        let isMade =
            switch change {
            case .create: current == nil
            case .replace(_, let revision, _):
                current == revision
                    || world.mutation == .decidesAnyway && key.collection == "challenge"
            case .delete(_, let revision): current == revision
            case .exists: current != nil
            }
        guard !isMade, world.mutation != .ignoresRevisions, world.mutation != .takesConflicts
        else { return }
        world.tally.count(.conflict)
        world.note("p\(life.process) write \(key.short) conflicts")
        throw PushError(.conflict, "Another process was first.", refusal: refusal)
    }

    private func make(_ change: StoreChange) -> Revision? {
        let (value, old): (Secret?, Revision?)
        switch change {
        case .create(_, let new): (value, old) = (new, nil)
        case .replace(_, let revision, let new): (value, old) = (new, revision)
        case .delete(_, let revision): (value, old) = (nil, revision)
        case .exists(let key): return world.records[key]?.revision
        }
        let key = change.key
        world.lastRevision += 1
        let written = Revision(world.lastRevision)
        let isConflict = world.records[key]?.revision != old
        let isLied = world.mutation == .takesConflicts && isConflict
        if !isLied, !isForgotten(value, key, replacing: old) {
            world.records[key] = value.map { ($0, written) }
        }
        if world.mutation == .dropsEntries, key.collection == "unfinished", old != nil {
            world.records[key] = nil
        }
        world.note("p\(life.process) \(value == nil ? "delete" : "write") \(key.short)")
        return value == nil ? nil : written
    }

    private func stored(_ key: RecordKey) -> StoredRecord {
        guard !world.damaged.contains(key) else {
            return StoredRecord(key, .failure(Self.malformed))
        }
        return StoredRecord(key, .success(world.records[key]))
    }

    /// Whether a broken store only says that it wrote.
    private func isForgotten(
        _ value: Secret?, _ key: RecordKey, replacing revision: Revision?
    ) -> Bool {
        if key.collection.hasPrefix("credential") {
            guard world.mutation == .losesCounters, value != nil, revision != nil else {
                return false
            }
            return world.draw.percent(30)
        }
        guard key.collection == "challenge" else { return false }
        return switch world.mutation {
        case .pretendsToWrite: world.draw.percent(30)
        case .keepsRows: value == nil
        default: false
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        let diesAfter = try await world.admit(life)
        try fail(key, .writeFailed)
        guard world.damaged.remove(key) != nil else {
            guard world.records[key] != nil else { return try await end(diesAfter) }
            throw PushError(.conflict, "The record is whole.")
        }
        world.records[key] = nil
        world.note("p\(life.process) discard \(key.short)")
        try await end(diesAfter)
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let diesAfter = try await world.admit(life)
        try await end(diesAfter)
        try fail(RecordKey(collection, ""), .readFailed)
        let names = world.records.keys.filter { $0.collection == collection }.map(\.name)
        return NamePage(of: names, after: name, limit: limit)
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

extension RecordKey {
    var short: String { "\(collection.prefix(4)) \(name)" }
}

extension SimulatedRun {
    /// Damages a record, as a bad block would.
    func damage() {
        let keys = records.keys.filter {
            $0.collection == "challenge" || $0.collection.hasPrefix("credential")
        }
        guard !keys.isEmpty else { return }
        let key = draw.pick(keys.sorted { ($0.collection, $0.name) < ($1.collection, $1.name) })
        damaged.insert(key)
        tally.count(.damaged)
        note("\(key.short) is damaged")
        if key.collection == "challenge", let parts = try? JSON(parsing: key.name).array {
            spoiled.insert(parts.last?.string ?? "")
        } else {
            spoiled.insert(key.name)
        }
    }

    /// What a challenge's row in the ledger holds as decided, in the vendor's words.
    func recordedChoice(_ id: Challenge.ID) -> String? {
        let parts = [id.enrollment.provider.rawValue, id.enrollment.name, id.name]
        let name = JSON.array(parts.map(JSON.string)).text
        guard let sealed = records[RecordKey("challenge", name)]?.value,
            let fields = try? SecretRecord(reading: sealed).fields,
            let resolution = fields["decided"]?["resolution"], let kind = resolution["is"]?.string
        else { return nil }
        switch kind {
        case "approve": return "approve"
        case "choose", "enter": return "number:\(resolution["text"]?.string ?? "")"
        case "custom": return "deny:\(resolution["text"]?.string ?? "")"
        default: return "deny:\(kind)"
        }
    }

    /// The device token that a vendor should have which takes those of these services, most preferred
    /// first, as the store has what the app gave last.
    func desiredToken(of services: [PushService]) -> DeviceToken? {
        for service in services {
            guard let sealed = records[RecordKey("device", service.rawValue)]?.value,
                let fields = try? SecretRecord(reading: sealed).fields,
                let text = fields["token"]?["token"]?.string
            else { continue }
            return service == .fcm ? .fcm(text) : .apns(hex: text, isSandbox: false)
        }
        return nil
    }
}
