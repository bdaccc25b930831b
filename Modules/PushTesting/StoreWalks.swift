import PushCore

/// Checks a walk through everything that a store has, where it offers one.
struct StoreWalks: Sendable {
    let store: any CredentialStore

    func everything(_ findings: inout Findings, in collection: String) async throws(PushError) {
        guard let store = store as? any WalkableStore else { return }
        let collections = ["", "/", "/a", "\u{0}"].map { collection + $0 }
        var expected: Set<RecordKey> = []
        for (index, name) in ["", "a", "é", "\u{0}", "z/y"].enumerated() {
            for collection in collections {
                let key = RecordKey(collection, name)
                try await store.write(Secret([UInt8(index)]), for: key, replacing: nil)
                expected.insert(key)
            }
        }
        for limit in [1, 7] {
            let found = try await walk(store, by: limit, &findings)
            let own = found.filter { collections.contains($0.key.collection) }
            findings.expect(
                Set(own.map(\.key)) == expected && own.count == expected.count,
                "a walk through everything misses a record, or has it twice")
            for record in own {
                try await findings.expectSame(
                    try record.content.get(), as: record.key, in: store,
                    "a walk through everything has another record")
            }
        }
        let walk = try await walk(store, by: 7, &findings).map(\.key)
        if let gone = walk.first(where: { expected.contains($0) }),
            let place = walk.firstIndex(of: gone)
        {
            let revision = try await store.read(gone)?.revision
            try await store.write(nil, for: gone, replacing: revision)
            let next = try await store.page(after: gone, limit: 1).records.first?.key
            findings.expect(
                next == walk.dropFirst(place + 1).first,
                "a walk through everything doesn't go on after a record that is gone")
        }
        for key in expected {
            let revision = try await store.read(key)?.revision
            if revision != nil { try await store.write(nil, for: key, replacing: revision) }
        }
    }

    private func walk(
        _ store: any WalkableStore, by limit: Int, _ findings: inout Findings
    ) async throws(PushError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        var last: RecordKey?
        while records.count < 10_000 {
            let page = try await store.page(after: last, limit: limit)
            findings.expect(page.records.count <= limit, "a page of everything is too large")
            records += page.records
            guard !page.isLast, let next = page.records.last?.key else { return records }
            last = next
        }
        findings.note("a walk through everything doesn't end")
        return records
    }
}
