import PushCore

/// Checks what a store tells of several records at once.
struct StoreBatches: Sendable {
    let store: any CredentialStore

    /// Damages a record, where the caller can.
    let damage: (@Sendable (RecordKey) async -> Void)?

    func reading(_ findings: inout Findings, in collection: String) async throws(PushError) {
        let keys = ["b", "gone", "a", "c"].map { RecordKey(collection, $0) }
        for (index, key) in keys.enumerated() where key.name != "gone" {
            try await store.write(Secret([UInt8(index)]), for: key, replacing: nil)
        }
        let found = try await store.read(all: keys + [keys[0]])
        findings.expect(
            found.map(\.key) == keys + [keys[0]], "records aren't read in the order of the keys")
        for record in found {
            guard case .success(let content) = record.content else {
                findings.note("a whole record is read as damaged among others")
                continue
            }
            try await findings.expectSame(
                content, as: record.key, in: store, "a record is another one among others")
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
        findings.expect(
            try await store.names(in: collection).sorted() == ["a", "b", "c"],
            "a damaged record isn't named")
        try await store.discard(keys[2])
    }
}

extension StoredRecord {
    fileprivate var isDamaged: Bool {
        if case .failure(let error) = content { error.code == .malformed } else { false }
    }
}
