/// One flow of a vendor: what should come of it, and how to find out what does.
struct DemoFlow: Sendable {
    let name: String
    let expected: String

    /// Runs the flow, and says what came of it in the words of ``expected``.
    let run: @Sendable () async throws -> String

    init(
        _ name: String, expecting expected: String,
        run: @escaping @Sendable () async throws -> String
    ) {
        self.name = name
        self.expected = expected
        self.run = run
    }
}
