/// A message that ``PushAuthenticator/accept(_:)`` took: it was verified, and what it announces is on
/// record. One that proves nothing leaves no record; its vendor is being asked.
public struct AcceptedMessage: Sendable {
    /// What came of it; `[]` if its vendor must be asked first, or if no linked plugin knows it.
    public let receptions: [Reception]

    private let question: Task<Result<[Reception], PushError>, Never>?

    init(
        receptions: [Reception], question: Task<Result<[Reception], PushError>, Never>?
    ) {
        self.receptions = receptions
        self.question = question
    }

    /// Whether its vendor is asked: only ``answer()`` tells what came of it.
    public var isQuestion: Bool { question != nil }

    /// Waits for the vendor's answer, where its vendor is asked.
    ///
    /// - Returns: What came of the message, as ``PushAuthenticator/receive(_:)`` returns it.
    /// - Throws: ``PushError`` if the vendor couldn't be asked.
    public func answer() async throws(PushError) -> [Reception] {
        guard let question else { return receptions }
        return try await question.value.get()
    }
}
