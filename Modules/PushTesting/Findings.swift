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
    mutating func conflict(
        _ finding: String, _ body: () async throws(PushError) -> Void
    ) async {
        do throws(PushError) {
            try await body()
            note(finding)
        } catch {
            expect(error.code == .conflict, "\(finding), but throws \(error.code)")
        }
    }
}
