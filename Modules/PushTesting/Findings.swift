import PushCore

/// What a conformance check found wrong, as sentences.
struct Findings {
    private let topic: String
    private(set) var sentences: [String] = []

    init(_ topic: String) {
        self.topic = topic
    }

    mutating func note(_ finding: String) {
        sentences.append("\(topic): \(finding)")
    }

    mutating func expect(_ condition: Bool, _ finding: @autoclosure () -> String) {
        if !condition { note(finding()) }
    }

    /// Expects a write to be refused because another writer was first.
    ///
    /// - Returns: What it threw.
    @discardableResult
    mutating func conflict(
        _ finding: String, _ body: () async throws(PushError) -> Void
    ) async -> PushError? {
        do throws(PushError) {
            try await body()
            note(finding)
            return nil
        } catch {
            expect(error.code == .conflict, "\(finding), but throws \(error.code)")
            return error
        }
    }

    /// Expects what a store told of a record to be what it reads.
    mutating func expectSame(
        _ told: (value: Secret, revision: Revision)?, as key: RecordKey,
        in store: any CredentialStore, _ finding: String
    ) async throws(PushError) {
        let record = try await store.read(key)
        expect(
            told?.revision == record?.revision
                && told?.value.withBytes(Array.init) == record?.value.withBytes(Array.init),
            finding)
    }
}
