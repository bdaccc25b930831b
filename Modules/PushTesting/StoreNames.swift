import PushCore

/// Checks which names a store tells, and in which records it says that work waits.
struct StoreNames: Sendable {
    let store: any CredentialStore

    /// Damages a record, where the caller can.
    let damage: (@Sendable (RecordKey) async -> Void)?

    // MARK: Marks

    /// A store needn't keep marks, and names all then. One that does must keep them exactly.
    func marks(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let marked = try await MarkedRecord(of: store, in: collection)
        for waits in [true, false, true, false] {
            let before = try await store.read(marked.key)?.revision
            let written = try await store.write(
                Secret([waits ? 1 : 0]), for: marked.key, replacing: before, waits: waits)
            let found = try await store.read(marked.key)
            findings.expect(
                written == nil || written == found?.revision,
                "writing returns another revision than the record's")
            findings.expect(
                found?.value.withBytes { Array($0) } == [waits ? 1 : 0],
                "a record isn't read as it was written")
            findings.expect(
                try await marked.isNamed(waits),
                waits
                    ? "a record in which work waits is passed over"
                    : "work waits in a record that was written without")
            for value in [Secret([2]), nil] {
                await findings.conflict("a stale revision doesn't conflict") {
                    () async throws(PushError) in
                    try await store.write(
                        value, for: marked.key, replacing: before, waits: !waits)
                }
                findings.expect(
                    try await marked.isNamed(waits), "a refused write changes whether work waits")
            }
        }
        try await marked.put(waits: true)
        try await marked.delete()
        findings.expect(try await marked.isNamed(nil), "work waits in a deleted record")
        try await marked.put(waits: false)
        findings.expect(
            try await marked.isNamed(false), "work waits in a record that was made again without")
        let neighbor = try await MarkedRecord(of: store, in: collection + "/")
        try await neighbor.put(waits: true)
        findings.expect(try await marked.isNamed(false), "another collection's work waits")
        try await neighbor.clear()
        try await damages(marked, &findings)
    }

    private func damages(
        _ marked: MarkedRecord, _ findings: inout Findings
    ) async throws(PushError) {
        guard let damage else { return }
        try await marked.put(waits: true)
        await damage(marked.key)
        findings.expect(
            try await marked.isNamed(true), "a damaged record in which work waits is passed over")
        try await store.discard(marked.key)
        findings.expect(try await marked.isNamed(nil), "work waits in a discarded record")
    }

    // MARK: Pages

    func pages(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let empty = try await store.names(in: collection, waiting: false, after: nil, limit: 3)
        findings.expect(
            empty.names.isEmpty && empty.isLast, "an empty collection has a page of names")
        let names = (0..<20).map { "\($0 * 7 % 20)" } + ["", "é", "e\u{301}", "a/b", "\u{0}"]
        let keys = names.map { RecordKey(collection, $0) }
        for (index, key) in keys.enumerated() {
            try await store.write(
                Secret([1]), for: key, replacing: nil, waits: index.isMultiple(of: 3))
        }
        let neighbor = RecordKey(collection + "/", "another")
        try await store.write(Secret([1]), for: neighbor, replacing: nil, waits: true)
        let waiting = Set(stride(from: 0, to: keys.count, by: 3).map { keys[$0] })
        for isWaiting in [false, true] {
            let walk = try await walk(collection, isWaiting, by: 7, &findings)
            findings.expect(
                Set(walk) == Set(keys) || isWaiting && Set(walk) == waiting,
                "the pages of names lack one, or have another's")
            findings.expect(walk.count == Set(walk).count, "the pages of names have one twice")
            let again = try await self.walk(collection, isWaiting, by: 2, &findings)
            findings.expect(walk == again, "the order of names depends on the size of their pages")
            // A name that is gone is still a place to go on from.
            guard let third = walk.dropFirst(2).first else { continue }
            let revision = try await store.read(third)?.revision
            try await store.write(nil, for: third, replacing: revision)
            let rest = try await store.names(
                in: collection, waiting: isWaiting, after: third.name, limit: 100)
            findings.expect(
                rest.names.map { RecordKey(collection, $0) } == Array(walk.dropFirst(3)),
                "a walk through names doesn't go on after one that is gone")
            try await store.write(
                Secret([1]), for: third, replacing: nil, waits: waiting.contains(third))
        }
        try await store.write(
            nil, for: neighbor, replacing: try await store.read(neighbor)?.revision)
    }

    /// Walks while another writer adds and deletes records between those that stay, and writes
    /// these again.
    func pagesOfWriters(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let staying = (0..<24).map { RecordKey(collection, "stays \($0)") }
        let waiting = staying.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        for key in staying {
            try await store.write(
                Secret([1]), for: key, replacing: nil, waits: waiting.contains(key))
        }
        let writer = Task {
            await Result { () async throws(PushError) in
                for round in 0..<24 {
                    let key = RecordKey(collection, "stays \(round % 7)-")
                    try await write(Secret([2]), key, waits: round.isMultiple(of: 3))
                    let kept = staying[round]
                    try await write(Secret([2]), kept, waits: waiting.contains(kept))
                    try await write(nil, key, waits: false)
                }
            }
        }
        for isWaiting in [false, true, false, true] {
            let found = try await walk(collection, isWaiting, by: 5, &findings)
                .filter((isWaiting ? waiting : staying).contains)
            findings.expect(
                Set(found) == Set(isWaiting ? waiting : staying) && found.count == Set(found).count,
                "a walk through names beside a writer misses one that stays, or has it twice")
        }
        try await writer.value.get()
    }

    private func write(
        _ value: Secret?, _ key: RecordKey, waits: Bool
    ) async throws(PushError) {
        let revision = try await store.read(key)?.revision
        try await store.write(value, for: key, replacing: revision, waits: waits)
    }

    private func walk(
        _ collection: String, _ waiting: Bool, by limit: Int, _ findings: inout Findings
    ) async throws(PushError) -> [RecordKey] {
        var keys: [RecordKey] = []
        var last: String?
        while keys.count < 1000 {
            let page = try await store.names(
                in: collection, waiting: waiting, after: last, limit: limit)
            findings.expect(
                page.names.count <= limit, "a page of names is larger than its limit")
            keys += page.names.map { RecordKey(collection, $0) }
            findings.expect(
                page.isLast || !page.names.isEmpty, "a page of names is empty and not the last")
            guard !page.isLast, let next = page.names.last else { return keys }
            last = next
        }
        findings.note("a walk through the names doesn't end")
        return keys
    }
}

/// A record that comes and goes, beside one in which no work ever waits: by that one it is known
/// whether the store keeps marks.
private struct MarkedRecord: Sendable {
    let key: RecordKey
    private let store: any CredentialStore
    private let other: RecordKey
    private let hasMarks: Bool

    init(of store: any CredentialStore, in collection: String) async throws(PushError) {
        self.store = store
        key = RecordKey(collection, "a")
        other = RecordKey(collection, "b")
        try await store.write(Secret([0]), for: other, replacing: nil, waits: false)
        hasMarks = try await store.names(in: collection, waiting: true).isEmpty
    }

    /// Whether the store tells of the record what it should: that work waits in it, that none does,
    /// or, with `nil`, that it isn't there.
    func isNamed(_ waits: Bool?) async throws(PushError) -> Bool {
        let names = try await store.names(in: key.collection, waiting: true)
        let isExpected = hasMarks ? waits == true : waits != nil
        return names.sorted() == (isExpected ? ["a"] : []) + (hasMarks ? [] : ["b"])
    }

    func put(waits: Bool) async throws(PushError) {
        try await store.write(
            Secret([1]), for: key, replacing: try await store.read(key)?.revision, waits: waits)
    }

    func delete() async throws(PushError) {
        try await store.write(nil, for: key, replacing: try await store.read(key)?.revision)
    }

    /// Takes both away.
    func clear() async throws(PushError) {
        try await delete()
        try await store.write(nil, for: other, replacing: try await store.read(other)?.revision)
    }
}
