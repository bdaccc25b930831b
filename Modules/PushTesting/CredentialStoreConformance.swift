public import PushCore

/// Checks that a store keeps the promises of `CredentialStore`.
///
/// Run it against every store; none of its sentences may come back:
///
/// ```swift
/// let violations = await CredentialStoreConformance(store).check()
/// #expect(violations == [])
/// ```
public struct CredentialStoreConformance: Sendable {
    private let store: any CredentialStore
    private let prefix: String
    private let damage: (@Sendable (RecordKey) async -> Void)?

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - store: The store. It may hold other records.
    ///   - prefix: The start of the names of the collections that the check fills, and empties
    ///     again.
    ///   - damage: Damages a record that is there, such as by flipping a bit of its file; `nil` where
    ///     the caller can't. Without it nothing is checked of a damaged record among others.
    public init(
        _ store: any CredentialStore, prefix: String = "conformance",
        damaging damage: (@Sendable (RecordKey) async -> Void)? = nil
    ) {
        self.store = store
        self.prefix = prefix
        self.damage = damage
    }

    /// Runs every check.
    ///
    /// - Returns: What the store breaks, as sentences; empty if it conforms.
    public func check() async -> [String] {
        let contests = StoreContests(store: store)
        let batches = StoreBatches(store: store, damage: damage)
        let names = StoreNames(store: store, damage: damage)
        var violations: [String] = []
        violations += await run("life of a record", life)
        violations += await run("compare and set", compareAndSet)
        violations += await run("deletion", deletion)
        violations += await run("names", self.names)
        violations += await run("odd names", oddNames)
        violations += await run("odd values", oddValues)
        violations += await run("waiting records", names.marks)
        violations += await run("pages of names", names.pages)
        violations += await run("pages of names beside a writer", names.pagesOfWriters)
        violations += await run("discarding", contests.discarding)
        violations += await run("writers at once", contests.writers)
        violations += await run("increments", contests.increments)
        violations += await run("several records", batches.reading)
        violations += await run("everything", StoreWalks(store: store).everything)
        return violations
    }

    private typealias Body = (inout Findings, String) async throws(PushError) -> Void

    /// Runs one check in a collection of its own, and deletes what it left there.
    private func run(_ topic: String, _ body: Body) async -> [String] {
        let collection = "\(prefix)/\(topic)"
        var findings = Findings(topic)
        do throws(PushError) {
            try await empty(collection)
            try await body(&findings, collection)
            try await empty(collection)
        } catch {
            findings.note("an unexpected error: \(error)")
        }
        return findings.sentences
    }

    private func empty(_ collection: String) async throws(PushError) {
        for name in try await store.names(in: collection) {
            let key = RecordKey(collection, name)
            try await store.write(nil, for: key, replacing: try await store.read(key)?.revision)
        }
    }

    // MARK: Checks

    private func life(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let key = RecordKey(collection, "a")
        findings.expect(try await store.read(key) == nil, "a record that was never written is read")
        try await store.write(Secret([1, 2, 3]), for: key, replacing: nil)
        findings.expect(try await value(key) == [1, 2, 3], "a record isn't read as it was written")
        let revision = try await store.read(key)?.revision
        findings.expect(
            try await store.read(key)?.revision == revision, "reading changes the revision")
        let written = try await store.write(Secret([4]), for: key, replacing: revision)
        findings.expect(try await value(key) == [4], "a record isn't replaced")
        let read = try await store.read(key)?.revision
        findings.expect(
            written == nil || written == read, "writing returns another revision than the record's")
        findings.expect(
            try await store.read(key)?.revision != revision, "replacing keeps the revision")
    }

    private func compareAndSet(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let key = RecordKey(collection, "a")
        try await conflict(
            "replacing a record that isn't there doesn't conflict", [0], for: key,
            replacing: Revision(1), &findings)
        findings.expect(try await store.read(key) == nil, "a conflicting write made a record")
        try await store.write(Secret([1]), for: key, replacing: nil)
        let first = try await store.read(key)?.revision
        try await conflict(
            "creating a record twice doesn't conflict", [2], for: key, replacing: nil, &findings)
        try await store.write(Secret([3]), for: key, replacing: first)
        try await conflict(
            "a stale revision doesn't conflict", [4], for: key, replacing: first, &findings)
        findings.expect(try await value(key) == [3], "a conflicting write changed a record")
    }

    private func deletion(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let key = RecordKey(collection, "a")
        try await store.write(Secret([1]), for: key, replacing: nil)
        let first = try await store.read(key)?.revision
        try await store.write(Secret([2]), for: key, replacing: first)
        try await conflict(
            "a stale deletion doesn't conflict", nil, for: key, replacing: first, &findings)
        try await conflict(
            "deleting a record without its revision doesn't conflict", nil, for: key,
            replacing: nil, &findings)
        let second = try await store.read(key)?.revision
        try await store.write(nil, for: key, replacing: second)
        findings.expect(try await store.read(key) == nil, "a deleted record is read")
        findings.expect(
            try await store.names(in: collection).isEmpty, "a deleted record is named")
        try await conflict(
            "a deleted record is replaced", [3], for: key, replacing: second, &findings)
        try await store.write(Secret([1]), for: key, replacing: nil)
        let third = try await store.read(key)?.revision
        findings.expect(
            third != first && third != second, "a record made again has a revision used before")
        try await conflict(
            "a revision from before the deletion is taken for the new one", [4], for: key,
            replacing: first, &findings)
    }

    private func names(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let neighbors = [collection + "/", collection + "/a", String(collection.dropLast())]
        for name in ["a", "b"] {
            try await store.write(Secret([1]), for: RecordKey(collection, name), replacing: nil)
        }
        for neighbor in neighbors { try await empty(neighbor) }
        for neighbor in neighbors {
            findings.expect(
                try await store.names(in: neighbor).isEmpty, "a collection shows another's records")
            try await store.write(Secret([2]), for: RecordKey(neighbor, "a"), replacing: nil)
        }
        findings.expect(
            try await store.names(in: collection).sorted() == ["a", "b"],
            "the names of a collection are wrong")
        findings.expect(
            try await value(RecordKey(collection, "a")) == [1],
            "two collections share a record of one name")
        for neighbor in neighbors { try await empty(neighbor) }
        findings.expect(
            try await store.names(in: collection).count == 2,
            "emptying a collection empties another")
    }

    private func oddNames(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let odd = [
            "", " ", ".", "..", "/", "../a", "a/b", "a\\b", "a:b", "%2F", "a\nb", "a\u{0}b", "*",
            "A", "a", "😀", "\u{E9}", "e\u{301}", "\"quoted\"", "-rf", "~",
            String(repeating: "x", count: 1000),
            String(repeating: "x", count: 999) + "y",
        ]
        for (index, name) in odd.enumerated() {
            do throws(PushError) {
                let key = RecordKey(collection, name)
                try await store.write(Secret([UInt8(index)]), for: key, replacing: nil)
            } catch {
                findings.note("the record with odd name \(index) can't be written: \(error.code)")
            }
        }
        for (index, name) in odd.enumerated() {
            let found = try await value(RecordKey(collection, name))
            findings.expect(found == [UInt8(index)], "the record with odd name \(index) is lost")
        }
        let names = try await store.names(in: collection)
        findings.expect(
            names.count == odd.count
                && Set(names.map { Array($0.utf8) })
                    == Set(odd.map { Array($0.utf8) }),
            "odd names come back changed")
        for (index, name) in odd.enumerated() {
            let key = RecordKey("\(collection)/odd\(name)", "a")
            try await store.write(Secret([UInt8(index)]), for: key, replacing: nil)
            findings.expect(
                try await value(key) == [UInt8(index)], "odd collection \(index) loses a record")
            try await store.write(nil, for: key, replacing: try await store.read(key)?.revision)
        }
    }

    private func oddValues(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let values: [[UInt8]] = [
            [], [0], Array(0...255), Array(repeating: 0xA5, count: 1 << 20),
        ]
        for (index, bytes) in values.enumerated() {
            let key = RecordKey(collection, "\(index)")
            try await store.write(Secret(bytes), for: key, replacing: nil)
            findings.expect(
                try await value(key) == bytes, "a value of \(bytes.count) bytes comes back changed")
        }
    }

    /// Expects a write to be refused, and with no other record than the one that is there.
    private func conflict(
        _ finding: String, _ value: [UInt8]?, for key: RecordKey, replacing revision: Revision?,
        _ findings: inout Findings
    ) async throws(PushError) {
        let error = await findings.conflict(finding) { () async throws(PushError) in
            try await store.write(value.map { Secret($0) }, for: key, replacing: revision)
        }
        guard let found = error?.found else { return }
        try await findings.expectSame(
            found, as: key, in: store, "a refused write comes with another record")
    }

    private func value(_ key: RecordKey) async throws(PushError) -> [UInt8]? {
        try await store.bytes(key)
    }
}

extension CredentialStore {
    /// A record's value; `nil` if there is none.
    func bytes(_ key: RecordKey) async throws(PushError) -> [UInt8]? {
        try await read(key)?.value.withBytes { Array($0) }
    }
}
