import Foundation
import PushCore
import PushTesting
import Testing

struct CredentialStoreConformanceTests {
    @Test(arguments: [false, true])
    func `the store in memory conforms, twice over, and is left as it was`(
        isShared: Bool
    ) async throws {
        let store = InMemoryStore(isShared: isShared)
        try await store.write(Secret([1]), for: RecordKey("mine", "a"), replacing: nil)
        #expect(await CredentialStoreConformance(store).check() == [])
        let other = CredentialStoreConformance(
            store, prefix: "other", damaging: { await store.damage($0) })
        #expect(await other.check() == [])
        #expect(await store.count == 1)
    }

    @Test func `a write that is refused comes with the record as it is`() async throws {
        let store = InMemoryStore(isShared: true)
        let key = RecordKey("mine", "a")
        let made = try await store.write(Secret([1]), for: key, replacing: nil)
        let error = try await refusal {
            try await store.write(Secret([2]), for: key, replacing: nil)
        }
        #expect(error.code == .conflict && error.found?.revision == made)
        #expect(error.attributed(to: "acme").found?.revision == made)
        #expect(error.finding(nil).found == nil)
        #expect(!error.description.contains("mine"))
    }

    @Test func `a record that was damaged is named and refused until it is discarded`() async throws
    {
        let store = InMemoryStore()
        let key = RecordKey("mine", "a")
        try await store.write(Secret([1]), for: key, replacing: nil)
        await store.damage(key)
        await #expect { try await store.read(key) } throws: {
            ($0 as? PushError)?.code == .malformed
        }
        await #expect {
            try await store.write(Secret([2]), for: key, replacing: nil)
        } throws: { ($0 as? PushError)?.code == .malformed }
        #expect(try await store.names(in: "mine") == ["a"])
        try await store.discard(key)
        #expect(try await store.names(in: "mine") == [])
        try await store.write(Secret([2]), for: key, replacing: nil)
        #expect(try await store.read(key)?.value.withBytes { Array($0) } == [2])
    }

    @Test(arguments: FlawedStore.Flaw.allCases)
    func `each flaw of a store is found`(flaw: FlawedStore.Flaw) async {
        let found = await CredentialStoreConformance(FlawedStore(flaw)).check()
        #expect(found.contains { $0.contains(flaw.rawValue) }, "\(found)")
    }

    @Test func `a store that can't be written is reported`() async {
        let store = InMemoryStore()
        await store.refuseWrites { _ in PushError(.storage, "Disk full.") }
        let found = await CredentialStoreConformance(store).check()
        let topics = [
            "life of a record", "compare and set", "deletion", "names", "odd names", "odd values",
            "waiting records", "pages of names", "pages of names beside a writer", "discarding",
            "writers at once", "increments", "several records", "everything",
        ]
        for topic in topics {
            #expect(found.contains { $0.hasPrefix(topic + ": ") })
        }
    }
}

/// A store in memory with one flaw; the raw value is what must be found.
actor FlawedStore: CredentialStore {
    enum Flaw: String, CaseIterable {
        case overwritesOnCreate = "creating a record twice doesn't conflict"
        case ignoresRevisions = "a stale revision doesn't conflict"
        case deletesAnything = "a stale deletion doesn't conflict"
        case startsOver = "a record made again has a revision used before"
        case keepsNames = "a deleted record is named"
        case joinsNames = "a collection shows another's records"
        case foldsCase = "odd name 14 can't be written"
        case cutsNames = "odd name 22 can't be written"
        case dropsEmpty = "a value of 0 bytes comes back changed"
        case throwsStorage = "a stale revision doesn't conflict, but throws storage"
        case writesTwice = "writers at once: of 16 writers"
        case resurrects = "a deleted record is replaced"
        case composesNames = "odd name 17 can't be written"
        case discardsAnything = "a record that isn't damaged is discarded"
        case missesRecords = "discarding: an unexpected error"
        case losesWrites = "increments: of 200 increments"
        case inventsRecords = "replacing a record that isn't there doesn't conflict"
    }

    private let flaw: Flaw
    private var records: [RecordKey: (value: Secret, revision: Revision)] = [:]
    private var buried: [RecordKey: Revision] = [:]
    private var named: Set<RecordKey> = []
    private var last: UInt64 = 0

    init(_ flaw: Flaw) { self.flaw = flaw }

    private func actual(_ key: RecordKey) -> RecordKey {
        switch flaw {
        case .joinsNames: RecordKey("", key.name)
        case .foldsCase: RecordKey(key.collection, key.name.lowercased())
        case .cutsNames: RecordKey(key.collection, String(key.name.prefix(255)))
        case .composesNames:
            RecordKey(key.collection, key.name.precomposedStringWithCanonicalMapping)
        default: key
        }
    }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        guard let found = records[actual(key)] else { return nil }
        return flaw == .dropsEmpty && found.value.count == 0 ? nil : found
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let key = actual(key)
        guard tolerates(value, key, revision) || records[key]?.revision == revision else {
            if flaw == .throwsStorage { throw PushError(.storage, "Something.") }
            throw PushError(.conflict, "Another writer was first.")
        }
        if value == nil { buried[key] = records[key]?.revision }
        last += 1
        if flaw == .losesWrites, last.isMultiple(of: 50) { return Revision(last) }
        let new = flaw == .startsOver ? (records[key]?.revision.value ?? 0) + 1 : last
        records[key] = value.map { ($0, Revision(new)) }
        named.insert(key)
        return records[key]?.revision
    }

    private func tolerates(_ value: Secret?, _ key: RecordKey, _ revision: Revision?) -> Bool {
        switch flaw {
        case .overwritesOnCreate, .writesTwice: revision == nil
        case .ignoresRevisions: revision != nil && records[key] != nil
        case .deletesAnything: value == nil
        case .resurrects: records[key] == nil && buried[key] == revision
        case .inventsRecords: records[key] == nil
        default: false
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        switch flaw {
        case .discardsAnything: records[key] = nil
        case .missesRecords where records[key] == nil: throw PushError(.conflict, "None.")
        default: if records[key] != nil { throw PushError(.conflict, "It isn't damaged.") }
        }
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let keys = flaw == .keepsNames ? named : Set(records.keys)
        let wanted = flaw == .joinsNames ? "" : collection
        let names = keys.filter { $0.collection == wanted }.map(\.name)
        return NamePage(of: names, after: name, limit: limit)
    }
}
