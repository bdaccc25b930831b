import PushCore

/// Checks what happens when several want the same record, or none should.
struct StoreContests: Sendable {
    let store: any CredentialStore

    func discarding(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let key = RecordKey(collection, "a")
        try await store.discard(key)
        findings.expect(try await store.read(key) == nil, "discarding nothing makes a record")
        try await store.write(Secret([1]), for: key, replacing: nil)
        await findings.conflict("a record that isn't damaged is discarded") {
            () async throws(PushError) in
            try await store.discard(key)
        }
        findings.expect(
            try await store.bytes(key) == [1], "a refused discarding changed the record")
    }

    func writers(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let key = RecordKey(collection, "a")
        var revision: Revision?
        for round in 0..<5 {
            let winners = await race(16, for: key, replacing: revision)
            findings.expect(
                winners.count == 1, "of 16 writers at once \(winners.count) won, in round \(round)")
            let found = try await store.read(key)
            let bytes = found?.value.withBytes { Array($0) }
            findings.expect(
                winners.first.map { [$0] } == bytes, "the record isn't what the winner wrote")
            revision = found?.revision
        }
    }

    private func race(
        _ count: UInt8, for key: RecordKey, replacing revision: Revision?
    ) async -> [UInt8] {
        await withTaskGroup(of: UInt8?.self) { group in
            for writer in 0..<count {
                group.addTask {
                    do throws(PushError) {
                        try await store.write(Secret([writer]), for: key, replacing: revision)
                        return writer
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { winners, writer in
                if let writer { winners.append(writer) }
            }
        }
    }

    /// A counter that 8 tasks raise together: one that wins writes the next number.
    func increments(
        _ findings: inout Findings, in collection: String
    ) async throws(PushError) {
        let (tasks, each, key) = (8, 25, RecordKey(collection, "a"))
        try await store.write(Secret([0]), for: key, replacing: nil)
        let results = await withTaskGroup(of: Result<Void, PushError>.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    await Result { () async throws(PushError) in
                        for _ in 0..<each { try await increment(key) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results { try result.get() }
        let found = try await store.bytes(key)
        findings.expect(
            found == [UInt8(tasks * each)],
            "of \(tasks * each) increments \(found?.first ?? 0) are in the record")
    }

    private func increment(_ key: RecordKey) async throws(PushError) {
        for _ in 0..<10_000 {
            guard let (value, revision) = try await store.read(key) else {
                throw PushError(.notFound, "The counter is gone.")
            }
            let next = value.withBytes { ($0.first ?? 0) &+ 1 }
            do throws(PushError) {
                try await store.write(Secret([next]), for: key, replacing: revision)
                return
            } catch  where error.code == .conflict {
                continue
            }
        }
        throw PushError(.conflict, "A writer never wins.")
    }
}
