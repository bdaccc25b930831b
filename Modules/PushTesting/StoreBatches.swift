import PushCore

/// Checks what a store does with several records at once.
struct StoreBatches: Sendable {
    let store: any CredentialStore

    /// Damages a record, where the caller can.
    let damage: (@Sendable (RecordKey) async -> Void)?

    // MARK: Reading

    func reading(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let keys = ["b", "gone", "a", "c"].map { RecordKey(collection, $0) }
        for (index, key) in keys.enumerated() where key.name != "gone" {
            try await store.write(Secret([UInt8(index)]), for: key, replacing: nil)
        }
        let found = try await store.read(all: keys + [keys[0]])
        findings.expect(
            found.map(\.key) == keys + [keys[0]], "records aren't read in the order of the keys")
        for record in found {
            try await expectSame(record, &findings)
        }
        findings.expect(try await store.read(all: []).isEmpty, "of no keys a record is read")
        guard let damage else { return }
        await damage(keys[2])
        let others = try await store.read(all: keys)
        findings.expect(
            others.map(\.key) == keys && others[2].isDamaged, "a damaged record looks like another")
        findings.expect(
            others.enumerated().allSatisfy { $0 == 2 || !$1.isDamaged },
            "a damaged record hides others")
        let page = try await store.page(of: collection, after: nil, limit: 9).records
        findings.expect(
            page.count == 3 && page.filter(\.isDamaged).map(\.key) == [keys[2]],
            "a damaged record isn't in its page")
        try await store.discard(keys[2])
    }

    private func expectSame(
        _ record: StoredRecord, _ findings: inout Findings
    ) async throws(PushError) {
        let single = try await store.read(record.key)
        guard case .success(let content) = record.content else {
            return findings.note("a whole record is read as damaged among others")
        }
        findings.expect(
            content?.revision == single?.revision, "a record has another revision among others")
        findings.expect(
            content?.value.withBytes { Array($0) } == single?.value.withBytes { Array($0) },
            "a record has another value among others")
    }

    private func expectSame(
        _ found: StoreRefusal.Found?, as key: RecordKey, _ findings: inout Findings
    ) async throws(PushError) {
        let content: (value: Secret, revision: Revision)?
        switch found {
        case nil, .unknown: return
        case .absent: content = nil
        case .record(let value, let revision): content = (value, revision)
        }
        let single = try await store.read(key)
        findings.expect(
            content?.revision == single?.revision
                && content?.value.withBytes(Array.init) == single?.value.withBytes(Array.init),
            "a refusal comes with another record")
    }

    func pages(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let empty = try await store.page(of: collection, after: nil, limit: 3)
        findings.expect(
            empty.records.isEmpty && empty.isLast, "an empty collection has a page that isn't")
        let names = (0..<20).map { "\($0 * 7 % 20)" } + ["", "é", "e\u{301}", "a/b", "\u{0}"]
        for name in names {
            try await store.write(
                Secret(Array(name.utf8)), for: RecordKey(collection, name), replacing: nil)
        }
        let neighbor = RecordKey(collection + "/", "1")
        try await store.write(Secret([1]), for: neighbor, replacing: nil)
        let walk = try await walk(collection, by: 7, &findings)
        findings.expect(
            Set(walk.map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }),
            "the pages lack a record, or have another's")
        findings.expect(walk.count == names.count, "the pages have a record twice")
        let again = try await self.walk(collection, by: 2, &findings)
        findings.expect(
            zip(walk, again).allSatisfy { $0.utf8.elementsEqual($1.utf8) },
            "the order of the pages depends on their size")
        // A name that is gone is still a place to go on from.
        if let third = walk.dropFirst(2).first {
            let key = RecordKey(collection, third)
            try await store.write(nil, for: key, replacing: try await store.read(key)?.revision)
            let rest = try await store.page(of: collection, after: third, limit: 100)
            findings.expect(
                rest.records.map(\.key.name) == Array(walk.dropFirst(3)),
                "a walk doesn't go on after a record that is gone")
        }
        try await store.write(
            nil, for: neighbor, replacing: try await store.read(neighbor)?.revision)
    }

    /// Walks while another writer adds and deletes records between those that stay.
    func pagesOfWriters(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let staying = (0..<24).map { "stays \($0)" }
        for name in staying {
            try await store.write(Secret([1]), for: RecordKey(collection, name), replacing: nil)
        }
        let writer = Task {
            await Result { () async throws(PushError) in
                for round in 0..<24 {
                    let key = RecordKey(collection, "stays \(round % 7)-")
                    let revision = try await store.write(Secret([2]), for: key, replacing: nil)
                    let known =
                        if let revision { revision } else {
                            try await store.read(key)?.revision
                        }
                    try await store.write(nil, for: key, replacing: known)
                }
            }
        }
        for _ in 0..<4 {
            let found = try await walk(collection, by: 5, &findings).filter(staying.contains)
            findings.expect(
                found.sorted() == staying.sorted(),
                "a walk beside a writer misses a record that stays, or has it twice")
        }
        try await writer.value.get()
    }

    private func walk(
        _ collection: String, by limit: Int, _ findings: inout Findings
    ) async throws(PushError) -> [String] {
        var names: [String] = []
        var last: String?
        while names.count < 1000 {
            let page = try await store.page(of: collection, after: last, limit: limit)
            findings.expect(page.records.count <= limit, "a page is larger than its limit")
            for record in page.records {
                guard case .success(let content?) = record.content else {
                    findings.note("a page has a record without its value")
                    continue
                }
                findings.expect(
                    record.key.collection == collection, "a page has another collection's record")
                if !record.key.name.hasPrefix("stays") {
                    findings.expect(
                        content.value.withBytes { Array($0) } == Array(record.key.name.utf8),
                        "a page has another value than its record")
                }
            }
            names += page.records.map(\.key.name)
            guard !page.isLast, let next = page.records.last?.key.name else { return names }
            last = next
        }
        findings.note("a walk through the pages doesn't end")
        return names
    }

    // MARK: Changing

    func commits(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let keys = ["a", "b", "c", "d"].map { RecordKey(collection, $0) }
        findings.expect(try await store.commit([]).isEmpty, "no changes bring a revision")
        try await store.commit([.create(keys[0], Secret([1])), .create(keys[1], Secret([2]))])
        let before = try await revisions(keys)
        guard let first = before[0], let second = before[1] else {
            return findings.note("several records aren't made")
        }
        let made = try await store.commit([
            .replace(keys[0], first, with: Secret([3])), .delete(keys[1], second),
            .create(keys[2], Secret([4])),
        ])
        let after = try await revisions(keys)
        findings.expect(
            made.count == 3 && zip(made, after).allSatisfy { $0 == nil || $0 == $1 },
            "several changes return another revision than the record's")
        findings.expect(
            try await values(keys) == [[3], nil, [4], nil], "several changes aren't made as asked")
        findings.expect(after[0] != first, "several changes keep a revision")
        let looked = try await store.commit([.exists(keys[0]), .exists(keys[2])])
        findings.expect(
            looked.count == 2
                && zip(looked, [after[0], after[2]]).allSatisfy { $0 == nil || $0 == $1 },
            "a look returns another revision than the record's")
        let unchanged = try await revisions(keys)
        findings.expect(unchanged == after, "a look changes a record")
    }

    func refusals(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let keys = ["a", "b", "c"].map { RecordKey(collection, $0) }
        try await store.commit([.create(keys[0], Secret([1])), .create(keys[1], Secret([2]))])
        guard let first = try await store.read(keys[0])?.revision,
            let second = try await store.read(keys[1])?.revision
        else { return findings.note("several records aren't made") }
        let stale = Revision(first.value &+ second.value &+ 1)
        let cases: [(summary: String, refused: StoreChange)] = [
            ("a record that is there is made", .create(keys[1], Secret([8]))),
            ("a stale revision is replaced", .replace(keys[1], stale, with: Secret([8]))),
            ("a stale revision is deleted", .delete(keys[1], stale)),
            ("a record that isn't there exists", .exists(keys[2])),
        ]
        for (summary, refused) in cases {
            let revision = try await store.read(keys[0])?.revision ?? first
            let start = try await values(keys)
            let changes = [
                .replace(keys[0], revision, with: Secret([9])), refused,
                .create(RecordKey(collection, "never"), Secret([7])),
            ]
            do throws(PushError) {
                try await store.commit(changes)
                findings.note("\(summary) among several changes")
            } catch {
                findings.expect(error.code == .conflict, "\(summary), but throws \(error.code)")
                findings.expect(error.refusal?.index == 1, "a refusal names another change")
                try await expectSame(error.refusal?.found, as: refused.key, &findings)
            }
            let end = try await values(keys)
            let beginning = [[9]] + start.dropFirst()
            findings.expect(
                end == start || !store.traits.contains(.atomic) && end == beginning,
                "a refused change leaves more than it may")
            findings.expect(
                try await store.read(RecordKey(collection, "never")) == nil,
                "what comes after a refused change is made")
        }
    }

    /// Eight writers move one unit each between two records: none may get lost, or be there twice.
    func transfers(_ findings: inout Findings, in collection: String) async throws(PushError) {
        guard store.traits.contains(.atomic) else { return }
        let (one, other) = (RecordKey(collection, "one"), RecordKey(collection, "other"))
        try await store.commit([.create(one, Secret([200])), .create(other, Secret([0]))])
        let results = await withTaskGroup(of: Result<Void, PushError>.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await Result { () async throws(PushError) in
                        for _ in 0..<10 { try await move(from: one, to: other) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results { try result.get() }
        let values = try await values([one, other])
        findings.expect(
            values == [[120], [80]], "of 80 transfers between two records some are lost or doubled")
    }

    private func move(from one: RecordKey, to other: RecordKey) async throws(PushError) {
        for _ in 0..<10_000 {
            let found = try await store.read(all: [one, other])
            guard case .success(let from?)? = found.first?.content,
                case .success(let to?)? = found.last?.content
            else { throw PushError(.notFound, "An account is gone.") }
            let (left, right) = (
                from.value.withBytes { $0.first ?? 0 }, to.value.withBytes { $0.first ?? 0 }
            )
            do throws(PushError) {
                try await store.commit([
                    .replace(one, from.revision, with: Secret([left &- 1])),
                    .replace(other, to.revision, with: Secret([right &+ 1])),
                ])
                return
            } catch  where error.code == .conflict {
                continue
            }
        }
        throw PushError(.conflict, "A writer never wins.")
    }

    func largeValues(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let key = RecordKey(collection, "a")
        let large = [UInt8](repeating: 0x5A, count: 1 << 20)
        try await store.commit([.create(key, Secret(large))])
        let page = try await store.page(of: collection, after: nil, limit: 1)
        guard case .success(let found?)? = page.records.first?.content else {
            return findings.note("a value of 1 MiB isn't in its page")
        }
        findings.expect(
            found.value.withBytes { Array($0) } == large, "a value of 1 MiB comes back changed")
    }

    private func revisions(_ keys: [RecordKey]) async throws(PushError) -> [Revision?] {
        var revisions: [Revision?] = []
        for key in keys { revisions.append(try await store.read(key)?.revision) }
        return revisions
    }

    private func values(_ keys: [RecordKey]) async throws(PushError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        for key in keys { values.append(try await store.bytes(key)) }
        return values
    }
}

extension StoredRecord {
    fileprivate var isDamaged: Bool {
        if case .failure(let error) = content { error.code == .malformed } else { false }
    }
}
