import PushCore
import PushTesting
import Testing

/// What a store does wrong that shows everything it has.
struct StoreWalksTests {
    @Test(arguments: WanderingStore.Flaw.allCases)
    func `each flaw of a walk is found`(flaw: WanderingStore.Flaw) async {
        let found = await CredentialStoreConformance(WanderingStore(flaw: flaw)).check()
        #expect(found.contains { $0.contains(flaw.rawValue) }, "\(found)")
    }
}

/// A store with one flaw in its walk through everything; the raw value is what must be found.
struct WanderingStore: WalkableStore, ForwardingStore {
    enum Flaw: String, CaseIterable {
        case skipsAfterPage = "misses a record, or has it twice"
        case restarts = "doesn't end"
        case ignoresLimit = "a page of everything is too large"
        case mixesValues = "a walk through everything has another record"
        case forgetsPlaces = "doesn't go on after a record that is gone"
    }

    let flaw: Flaw
    let behind = InMemoryStore()

    init(flaw: Flaw) { self.flaw = flaw }

    func page(after key: RecordKey?, limit: Int) async throws(PushError) -> (
        records: [StoredRecord], isLast: Bool
    ) {
        switch flaw {
        case .skipsAfterPage:
            let page = try await behind.page(after: key, limit: limit + 1)
            return (
                key == nil ? Array(page.records.prefix(limit)) : Array(page.records.dropFirst()),
                isLast: page.isLast
            )
        case .restarts:
            return (
                try await behind.page(after: nil, limit: limit).records, isLast: false
            )
        case .ignoresLimit: return try await behind.page(after: key, limit: limit + 1)
        case .mixesValues:
            let page = try await behind.page(after: key, limit: limit)
            guard let first = page.records.first else { return page }
            return (
                page.records.map { StoredRecord($0.key, first.content) }, isLast: page.isLast
            )
        case .forgetsPlaces:
            guard let key, try await behind.read(key) == nil else {
                return try await behind.page(after: key, limit: limit)
            }
            return ([], isLast: true)
        }
    }
}
