/// What isn't finished, in a store that is ``StoreTraits/atomic``; empty in any other.
package struct UnfinishedIndex: Sendable {
    /// How many records are read by one call.
    package static let pageSize = 250

    private let rows: IndexedRows?

    init(rows: IndexedRows?) {
        self.rows = rows
    }

    /// All that isn't finished, and perhaps more.
    func entries() async throws(PushError) -> [UnfinishedEntry] {
        guard let store = rows?.store else { return [] }
        return try await Self.records(in: store).compactMap(UnfinishedEntry.init)
    }

    /// The records of all entries of a store, read by pages.
    package static func records(
        in store: any CredentialStore
    ) async throws(PushError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        while true {
            let page = try await store.page(
                of: UnfinishedEntry.collection, after: records.last?.key.name, limit: pageSize)
            records += page.records
            if page.isLast || page.records.isEmpty { return records }
        }
    }

    /// Puts something in that isn't a challenge's: those change with their rows.
    func begin(_ matter: UnfinishedEntry.Matter) async throws(PushError) {
        let entry = UnfinishedEntry(matter)
        _ = try await rows?.store.replace(entry.key) { found in found == nil ? entry.sealed : nil }
    }

    /// Takes it out.
    func end(_ matter: UnfinishedEntry.Matter) async throws(PushError) {
        try await rows?.store.delete(UnfinishedEntry(matter).key)
    }

    /// Takes a challenge out that needn't be there: its row is gone, or nothing waits in it.
    func dropFinished(_ id: Challenge.ID) async throws(PushError) {
        guard let rows else { return }
        let found = try await rows.inHand(id)
        guard case .at(let revision) = found.place,
            found.content.flatMap(UnfinishedEntry.init) == nil
        else { return }
        // If a row is made meanwhile, it has changed the entry: nothing is deleted then.
        do throws(PushError) {
            try await rows.store.commit([.delete(UnfinishedEntry.key(id), revision)])
        } catch  where error.code == .conflict {}
    }
}
