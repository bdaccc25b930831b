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

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        let diesAfter = try await world.admit(life)
        try fail(key, .writeFailed)
        guard !world.damaged.contains(key) else { throw Self.malformed }
        guard
            world.records[key]?.revision == revision || world.mutation == .ignoresRevisions
        else {
            world.tally.count(.conflict)
            world.note("p\(life.process) write \(key.short) conflicts")
            throw PushError(.conflict, "Another process was first.")
        }
        world.lastRevision += 1
        let written = Revision(world.lastRevision)
        if !isForgotten(value, key, replacing: revision) {
            world.records[key] = value.map { ($0, written) }
        }
        world.note("p\(life.process) \(value == nil ? "delete" : "write") \(key.short)")
        try await end(diesAfter)
        await world.hop()
        if !life.isAlive { throw await world.buried() }
        return value == nil ? nil : written
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

    func names(in collection: String) async throws(PushError) -> [String] {
        let diesAfter = try await world.admit(life)
        try await end(diesAfter)
        try fail(RecordKey(collection, ""), .readFailed)
        return world.records.keys.filter { $0.collection == collection }.map(\.name).sorted()
    }

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
