import PushCore
import PushTesting
import Testing

/// What a store does wrong with several records at once.
struct StoreBatchesTests {
    @Test(arguments: CarelessStore.Flaw.allCases)
    func `each flaw of a store is found`(flaw: CarelessStore.Flaw) async {
        let store = CarelessStore(flaw)
        let check = CredentialStoreConformance(store, damaging: { await store.behind.damage($0) })
        let found = await check.check()
        #expect(found.contains { $0.contains(flaw.rawValue) }, "\(found)")
    }

    @Test func `a store of four functions conforms by the defaults`() async {
        let behind = InMemoryStore()
        let store = PlainStore(behind: behind)
        let check = CredentialStoreConformance(store, damaging: { await behind.damage($0) })
        #expect(await check.check() == [])
        #expect(store.traits == [])
    }

    @Test func `a change that is refused is named, with the record as it is`() async throws {
        for store in [InMemoryStore(.atomic), InMemoryStore()] {
            let key = RecordKey("mine", "a")
            let made = try await store.commit([.create(key, Secret([1]))])
            let error = try await refusal {
                try await store.commit([.exists(key), .create(key, Secret([2]))])
            }
            #expect(error.code == .conflict)
            #expect(error.refusal?.index == 1)
            guard case .record(_, let revision)? = error.refusal?.found else {
                Issue.record("The refusal comes without the record.")
                continue
            }
            #expect(revision == made.first)
            #expect(error.attributed(to: "acme").refusal?.index == 1)
            #expect(!error.description.contains("mine"))
        }
    }
}

/// A store that has only what each must.
private struct PlainStore: ForwardingStore {
    let behind: InMemoryStore
}

/// A store with one flaw in what it does with several records; the raw value is what must be found.
struct CarelessStore: CredentialStore {
    enum Flaw: String, CaseIterable {
        case readsInItsOrder = "records aren't read in the order of the keys"
        case leavesOutMissing = "several records: records aren't read"
        case hidesDamage = "a damaged record looks like another"
        case givesUpAtDamage = "several records: an unexpected error"
        case mixesRevisions = "a record has another revision among others"
        case skipsAfterPage = "the pages lack a record"
        case repeatsLast = "the pages have a record twice"
        case endsEarly = "a walk beside a writer misses a record"
        case ignoresLimit = "a page is larger than its limit"
        case pagesByOffset = "a walk doesn't go on after a record that is gone"
        case pagesNeighbors = "a page has another collection's record"
        case leavesOutDamaged = "a damaged record isn't in its page"
        case makesHalf = "a refused change leaves more than it may"
        case goesOn = "what comes after a refused change is made"
        case losesOne = "several changes aren't made as asked"
        case inventsRevisions = "several changes return another revision"
        case countsFromOne = "a refusal names another change"
        case ignoresExists = "a record that isn't there exists among several changes"
        case throwsStorage = "but throws storage"
        case findsAnother = "a refusal comes with another record"
        case races = "of 80 transfers between two records"
        case cutsLarge = "a value of 1 MiB comes back changed"
    }

    let flaw: Flaw
    let behind: InMemoryStore
    let traits: StoreTraits

    init(_ flaw: Flaw) {
        self.flaw = flaw
        // The one that claims more than it does is none behind.
        traits = .atomic
        behind = InMemoryStore([.makesHalf, .races].contains(flaw) ? [] : .atomic)
    }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await behind.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await behind.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await behind.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await behind.names(in: collection, waiting: waiting, after: name, limit: limit)
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        let found = try await behind.read(all: keys)
        switch flaw {
        case .readsInItsOrder: return found.sorted { $0.key.name < $1.key.name }
        case .leavesOutMissing:
            return found.filter { if case .success(nil) = $0.content { false } else { true } }
        case .hidesDamage:
            return found.map { record in
                if case .failure = record.content {
                    StoredRecord(record.key, .success(nil))
                } else {
                    record
                }
            }
        case .givesUpAtDamage:
            for record in found { _ = try record.content.get() }
            return found
        case .mixesRevisions:
            return found.map { record in
                guard case .success(let content?) = record.content else { return record }
                return StoredRecord(
                    record.key, .success((content.value, Revision(content.revision.value + 1))))
            }
        default: return found
        }
    }

    func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        switch flaw {
        case .skipsAfterPage:
            guard let name else { break }
            let rest = try await behind.page(of: collection, after: name, limit: limit + 1)
            return StorePage(Array(rest.records.dropFirst()), isLast: rest.isLast)
        case .repeatsLast:
            guard let name else { break }
            let before = try await names(in: collection).last {
                $0.utf8.lexicographicallyPrecedes(name.utf8)
            }
            return try await behind.page(of: collection, after: before, limit: max(2, limit))
        case .endsEarly:
            let page = try await behind.page(of: collection, after: name, limit: limit)
            return StorePage(page.records, isLast: page.records.count < limit + 1)
        case .ignoresLimit:
            return try await behind.page(of: collection, after: name, limit: 1000)
        case .pagesByOffset:
            let all = try await behind.page(of: collection, after: nil, limit: 1000).records
            let start = name.flatMap { name in all.firstIndex { $0.key.name == name } }
            return StorePage(
                Array(all[(start.map { $0 + 1 } ?? 0)...].prefix(limit)),
                isLast: (start ?? -1) + 1 + limit >= all.count)
        case .pagesNeighbors:
            let page = try await behind.page(of: collection, after: name, limit: limit)
            let other = try await behind.page(of: collection + "/", after: name, limit: limit)
            return StorePage(page.records + other.records, isLast: page.isLast)
        case .leavesOutDamaged:
            let page = try await behind.page(of: collection, after: name, limit: limit)
            let whole = page.records.filter {
                if case .failure = $0.content { false } else { true }
            }
            return StorePage(whole, isLast: page.isLast)
        default: break
        }
        return try await behind.page(of: collection, after: name, limit: limit)
    }

    func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        do throws(PushError) {
            return try await made(changes)
        } catch {
            guard let refusal = error.refusal else { throw error }
            switch flaw {
            case .countsFromOne:
                throw error.refusing(StoreRefusal(index: refusal.index + 1, found: refusal.found))
            case .throwsStorage:
                throw PushError(.storage, "Something.", refusal: refusal)
            case .findsAnother:
                let other = try await behind.read(changes[0].key)
                throw error.refusing(StoreRefusal(index: refusal.index, found: .init(other)))
            case .goesOn:
                let rest = changes.dropFirst(refusal.index + 1)
                _ = try? await behind.commit(Array(rest))
                throw error
            default: throw error
            }
        }
    }

    private func made(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        switch flaw {
        case .losesOne where changes.count == 3:
            return try await behind.commit(Array(changes.dropLast())) + [nil]
        case .inventsRevisions:
            return try await behind.commit(changes).map { Revision(($0?.value ?? 0) + 1) }
        case .ignoresExists:
            let rest = changes.filter { if case .exists = $0 { false } else { true } }
            return try await behind.commit(rest)
        case .races:
            var revisions: [Revision?] = []
            for change in changes {
                await Task.yield()
                revisions += try await behind.commit([change])
            }
            return revisions
        case .cutsLarge:
            return try await behind.commit(
                changes.map { change in
                    guard case .create(let key, let value) = change, value.count > 100_000 else {
                        return change
                    }
                    return .create(key, Secret(value.withBytes { Array($0.dropLast()) }))
                })
        default:
            return try await behind.commit(changes)
        }
    }
}
