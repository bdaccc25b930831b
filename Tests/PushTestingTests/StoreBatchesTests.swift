import PushCore
import PushTesting
import Testing

/// What a store tells wrong of several records at once, or of the one that it refuses to write.
struct StoreBatchesTests {
    @Test(arguments: CarelessStore.Flaw.allCases)
    func `each flaw of a store is found`(flaw: CarelessStore.Flaw) async {
        let store = CarelessStore(flaw: flaw)
        let check = CredentialStoreConformance(store, damaging: { await store.behind.damage($0) })
        let found = await check.check()
        #expect(found.contains { $0.contains(flaw.rawValue) }, "\(found)")
    }

    @Test func `a store of four functions conforms by the defaults`() async {
        let behind = InMemoryStore()
        let store = PlainStore(behind: behind)
        let check = CredentialStoreConformance(store, damaging: { await behind.damage($0) })
        #expect(await check.check() == [])
        #expect(!store.isShared)
    }
}

/// A store that has only what each must.
private struct PlainStore: ForwardingStore {
    let behind: InMemoryStore
}

/// A store with one flaw in what it tells of records; the raw value is what must be found.
struct CarelessStore: ForwardingStore {
    enum Flaw: String, CaseIterable {
        case readsInItsOrder = "records aren't read in the order of the keys"
        case leavesOutMissing = "several records: records aren't read"
        case inventsRecords = "of no keys a record is read"
        case hidesDamage = "a damaged record looks like another"
        case spreadsDamage = "a damaged record hides others"
        case givesUpAtDamage = "several records: an unexpected error"
        case suspectsAll = "a whole record is read as damaged among others"
        case mixesRevisions = "a record is another one among others"
        case leavesOutDamaged = "a damaged record isn't named"
        case findsAnother = "a refused write comes with another record"
        case findsDeleted = "deletion: a refused write comes with another record"
        case cutsLarge = "a value of 1048576 bytes comes back changed"
    }

    let flaw: Flaw
    let behind = InMemoryStore()

    init(flaw: Flaw) { self.flaw = flaw }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        var value = value
        if flaw == .cutsLarge, let large = value, large.count > 100_000 {
            value = Secret(large.withBytes { Array($0.dropLast()) })
        }
        do throws(PushError) {
            return try await behind.write(value, for: key, replacing: revision, waits: waits)
        } catch  where error.code == .conflict {
            let found = try await behind.read(key)
            switch flaw {
            case .findsAnother: throw error.finding(found.map { ($0.value, Revision(0)) })
            case .findsDeleted where found == nil:
                throw error.finding((Secret([1]), revision ?? Revision(0)))
            default: throw error
            }
        }
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let page = try await behind.names(
            in: collection, waiting: waiting, after: name, limit: limit)
        guard flaw == .leavesOutDamaged else { return page }
        var names: [String] = []
        for name in page.names where await isWhole(RecordKey(collection, name)) {
            names.append(name)
        }
        return NamePage(names, isLast: page.isLast)
    }

    private func isWhole(_ key: RecordKey) async -> Bool {
        do throws(PushError) {
            _ = try await behind.read(key)
            return true
        } catch {
            return false
        }
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        let found = try await behind.read(all: keys)
        let damaged = found.first { if case .failure = $0.content { true } else { false } }
        switch flaw {
        case .readsInItsOrder: return found.sorted { $0.key.name < $1.key.name }
        case .leavesOutMissing:
            return found.filter { if case .success(nil) = $0.content { false } else { true } }
        case .inventsRecords:
            return found.isEmpty ? [StoredRecord(RecordKey("", ""), .success(nil))] : found
        case .hidesDamage:
            return found.map { $0.key == damaged?.key ? StoredRecord($0.key, .success(nil)) : $0 }
        case .spreadsDamage:
            return found.map { StoredRecord($0.key, damaged?.content ?? $0.content) }
        case .givesUpAtDamage:
            for record in found { _ = try record.content.get() }
            return found
        case .suspectsAll:
            return found.map { StoredRecord($0.key, .failure(PushError(.malformed, "Perhaps."))) }
        case .mixesRevisions:
            return found.map { record in
                guard case .success(let content?) = record.content else { return record }
                return StoredRecord(
                    record.key, .success((content.value, Revision(content.revision.value + 1))))
            }
        default: return found
        }
    }
}
