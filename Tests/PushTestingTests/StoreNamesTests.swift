import PushCore
import PushTesting
import Testing

/// What a store does wrong with names, and with what waits.
struct StoreNamesTests {
    @Test(arguments: ForgetfulStore.Flaw.allCases)
    func `each flaw of a store is found`(flaw: ForgetfulStore.Flaw) async {
        let store = ForgetfulStore(flaw)
        let check = CredentialStoreConformance(store, damaging: { await store.damage($0) })
        let found = await check.check()
        #expect(found.contains { $0.contains(flaw.rawValue) }, "\(found)")
    }

    @Test func `names end at a bound, and with their caller`() async throws {
        let store = InMemoryStore()
        for name in ["a", "b", "c"] {
            try await store.write(
                Secret([1]), for: RecordKey("mine", name), replacing: nil, waits: name != "b")
        }
        let single = SinglePages(behind: store)
        #expect(try await single.names(in: "mine") == ["a", "b", "c"])
        #expect(try await single.names(in: "mine", waiting: true) == ["a", "c"])
        let error = try await refusal {
            try await single.names(in: "mine", waiting: false, room: 40)
        }
        #expect(error.code == .storage && error.reason.contains("more records"))
        let gone = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await refusal { try await single.names(in: "mine") }
        }
        #expect(try await gone.value.code == .cancelled)
    }
}

/// A store that tells one name at a time.
private struct SinglePages: ForwardingStore {
    let behind: InMemoryStore

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await behind.names(in: collection, waiting: waiting, after: name, limit: 1)
    }
}

/// A store with one flaw in its names or its marks; the raw value is what must be found.
actor ForgetfulStore: CredentialStore {
    enum Flaw: String, CaseIterable {
        case forgetsMarks = "a record in which work waits is passed over"
        case keepsMarks = "work waits in a record that was written without"
        case marksRefused = "a refused write changes whether work waits"
        case unmarksRefused = "waiting records: a refused write changes whether work waits"
        case keepsDeleted = "work waits in a deleted record"
        case buriesMarks = "work waits in a record that was made again without"
        case mixesCollections = "another collection's work waits"
        case overlooksDamaged = "a damaged record in which work waits is passed over"
        case keepsDiscarded = "work waits in a discarded record"
        case namesNeighbors = "the pages of names lack one, or have another's"
        case skipsAfterPage = "pages of names: the pages of names lack one"
        case repeatsLast = "the pages of names have one twice"
        case turnsOrder = "the order of names depends on the size of their pages"
        case ignoresLimit = "a page of names is larger than its limit"
        case emptiesPages = "a page of names is empty and not the last"
        case goesByPlace = "a walk through names doesn't go on after one that is gone"
        case endsEarly = "a walk through names beside a writer misses one that stays"
        case restarts = "a walk through the names doesn't end"
        case neverEmpty = "an empty collection has a page of names"
    }

    private let flaw: Flaw
    private let behind = InMemoryStore()
    private var marks: Set<RecordKey> = []
    private var damaged: Set<RecordKey> = []

    init(_ flaw: Flaw) { self.flaw = flaw }

    func damage(_ key: RecordKey) async {
        damaged.insert(key)
        await behind.damage(key)
    }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await behind.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        do throws(PushError) {
            let written = try await behind.write(value, for: key, replacing: revision)
            note(value == nil ? nil : waits, of: key, isNew: revision == nil)
            return written
        } catch {
            if flaw == .marksRefused, waits { marks.insert(key) }
            if flaw == .unmarksRefused, !waits { marks.remove(key) }
            throw error
        }
    }

    /// Notes whether work waits in a record; `nil` if it was deleted.
    private func note(_ waits: Bool?, of key: RecordKey, isNew: Bool) {
        switch (flaw, waits) {
        case (.forgetsMarks, _), (.keepsMarks, false?), (.keepsDeleted, nil), (.buriesMarks, nil):
            break
        case (.buriesMarks, false?) where isNew: break
        case (_, true?): marks.insert(key)
        case (_, _): marks.remove(key)
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await behind.discard(key)
        damaged.remove(key)
        if flaw != .keepsDiscarded { marks.remove(key) }
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let all = try await behind.names(
            in: collection, waiting: false, after: nil, limit: 10_000
        ).names
        let other = try await behind.names(
            in: collection + "/", waiting: false, after: nil, limit: 10_000
        ).names
        let names = waiting ? self.waiting(among: all, of: collection) : all
        return page(of: names, beside: other, after: name, limit)
    }

    private func waiting(among all: [String], of collection: String) -> [String] {
        var keys = marks
        if flaw == .overlooksDamaged { keys.subtract(damaged) }
        if flaw == .mixesCollections { keys = Set(keys.map { RecordKey(collection, $0.name) }) }
        let own = keys.filter { $0.collection == collection }
        if flaw == .keepsDeleted || flaw == .keepsDiscarded { return own.map(\.name) }
        return all.filter { own.contains(RecordKey(collection, $0)) }
    }

    private func page(
        of names: [String], beside other: [String], after name: String?, _ limit: Int
    ) -> NamePage {
        let page = NamePage(of: names, after: name, limit: limit)
        switch flaw {
        case .namesNeighbors: return NamePage(of: names + other, after: name, limit: limit)
        case .skipsAfterPage:
            let rest = NamePage(of: names, after: name, limit: limit + 1)
            return name == nil ? page : NamePage(Array(rest.names.dropFirst()), isLast: rest.isLast)
        case .repeatsLast:
            guard let name else { return page }
            let before = names.filter { $0.utf8.lexicographicallyPrecedes(name.utf8) }
            return NamePage(
                of: names, after: NamePage(of: before, after: nil, limit: 10_000).names.last,
                limit: max(2, limit))
        case .turnsOrder:
            return limit == 2 ? page : NamePage(page.names.reversed(), isLast: true)
        case .ignoresLimit: return NamePage(of: names, after: name, limit: 10_000)
        case .emptiesPages: return name == nil ? page : NamePage([], isLast: false)
        case .goesByPlace:
            let isGone = name.map { !names.contains($0) } ?? false
            return isGone ? NamePage([], isLast: true) : page
        case .endsEarly: return NamePage(page.names, isLast: name != nil || page.isLast)
        case .restarts:
            // Whoever wants all at once gets them.
            let first = NamePage(of: names, after: nil, limit: limit)
            return NamePage(first.names, isLast: limit > 1000)
        case .neverEmpty: return NamePage(page.names, isLast: page.isLast && !names.isEmpty)
        case .forgetsMarks, .keepsMarks, .marksRefused, .unmarksRefused, .keepsDeleted,
            .buriesMarks, .mixesCollections, .overlooksDamaged, .keepsDiscarded:
            return page
        }
    }
}
