import PushTesting
import Testing

@testable import PushCore

/// A store in front of another that is locked, slow to list, or says of a record that is there that
/// it isn't.
actor FaultyStore: CredentialStore {
    let behind: InMemoryStore
    private var isLocked = false
    private var missing: (collection: String, after: Int)?
    private var gate: Gate?
    private var readings: (collection: String, gate: Gate)?

    init(_ behind: InMemoryStore) { self.behind = behind }

    /// Holds every listing back once it has the names.
    func hold(listingsAt gate: Gate) { self.gate = gate }

    /// Holds every reading of a collection's records back once it has the record.
    func hold(readingsOf collection: String, at gate: Gate) { readings = (collection, gate) }

    /// Locks the store, as before the device's first unlock, or unlocks it.
    func lock(_ isLocked: Bool = true) { self.isLocked = isLocked }

    /// Says "none" to one look at a collection, after others that find what is there.
    func miss(_ collection: String, after count: Int) { missing = (collection, count) }

    /// Finds everything again.
    func missNothing() { missing = nil }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try check()
        let found = isMissing(key.collection) ? nil : try await behind.read(key)
        if let readings, readings.collection == key.collection { await readings.gate.pass() }
        return found
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try check()
        return try await behind.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try check()
        try await behind.discard(key)
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try check()
        let page =
            isMissing(collection)
            ? NamePage([], isLast: true)
            : try await behind.names(in: collection, waiting: waiting, after: name, limit: limit)
        await gate?.pass()
        return page
    }

    private func check() throws(PushError) {
        if isLocked { throw PushError(.storage, "The store is locked.") }
    }

    private func isMissing(_ collection: String) -> Bool {
        guard let planned = missing, planned.collection == collection else { return false }
        missing = planned.after == 0 ? nil : (collection, planned.after - 1)
        return planned.after == 0
    }
}

extension InMemoryStore {
    /// Takes every record of a collection away, or of all.
    func wipe(_ collections: [String] = ["enrollment", "device"]) async throws {
        for collection in collections {
            for name in try await names(in: collection) {
                let key = RecordKey(collection, name)
                try await write(nil, for: key, replacing: try await read(key)?.revision)
            }
        }
    }

    /// Changes the bytes of the first record of a collection.
    func rewrite(_ collection: String, _ change: ([UInt8]) -> [UInt8]) async throws {
        guard let name = try await names(in: collection).first else { return }
        let key = RecordKey(collection, name)
        guard let found = try await read(key) else { return }
        let changed = change(found.value.withBytes { Array($0) })
        try await write(Secret(changed), for: key, replacing: found.revision, waits: true)
    }

    /// Damages the first record of a collection.
    func damageFirst(of collection: String) async throws {
        guard let name = try await names(in: collection).first else { return }
        damage(RecordKey(collection, name))
    }

    /// Changes an enrollment's document, as another version may.
    func edit(
        _ id: Enrollment.ID, _ change: (EnrollmentDocument) throws -> EnrollmentDocument
    ) async throws {
        let key = Documents.key(id)
        let found = try #require(try await read(key))
        let changed = try change(try EnrollmentDocument(reading: found.value))
        try await write(
            changed.sealed, for: key, replacing: found.revision, waits: changed.waits)
    }
}

extension CredentialStore {
    /// What is on record of an enrollment.
    func document(_ id: Enrollment.ID) async throws -> EnrollmentDocument {
        try EnrollmentDocument(reading: try #require(try await read(Documents.key(id))).value)
    }
}

extension RowSlot {
    var bytes: [UInt8] { sealed.withBytes { Array($0) } }

    /// The same as a newer version writes it, which this one can't read.
    var asOfNewerVersion: RowSlot {
        var changed = bytes
        if let range = changed.firstRange(of: Array(#""version":1"#.utf8)) {
            changed[range.upperBound - 1] = UInt8(ascii: "7")
        }
        return RowSlot(name, flags, Secret(changed))
    }
}
