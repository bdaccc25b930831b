/// What a step has in hand: whoever asks within it for one of these enrollments gets it, also an
/// engine behind a seam that passes no accounts.
final class LentDocuments: Sendable {
    private static let current = TaskLocal<LentDocuments?>(wrappedValue: nil)

    private let documents: Documents

    /// `nil` once the step is over.
    private let hands = Locked<[Enrollment.ID: DocumentInHand]?>([:])

    private init(_ documents: Documents) {
        self.documents = documents
    }

    /// Runs a step, and tells what was in hand at the end.
    nonisolated(nonsending) static func lending<Value>(
        _ documents: Documents, _ body: nonisolated(nonsending) () async -> Value
    ) async -> (value: Value, hands: [Enrollment.ID: DocumentInHand]) {
        let lent = LentDocuments(documents)
        let value = await current.withValue(lent) { await body() }
        // A task that outlives the step reads for itself.
        let hands = lent.hands.withLock { hands in
            defer { hands = nil }
            return hands
        }
        return (value, hands ?? [:])
    }

    /// The running step's; `nil` if none runs, or it is another device's.
    static func now(in documents: Documents) -> LentDocuments? {
        current.get().flatMap { $0.documents === documents ? $0 : nil }
    }

    /// `nil` takes it back.
    subscript(id: Enrollment.ID) -> DocumentInHand? {
        get { hands.withLock { $0?[id] } }
        set { hands.withLock { $0?[id] = newValue } }
    }
}

extension DocumentInHand {
    /// Lends it to the running step.
    func lend() { LentDocuments.now(in: documents)?[id] = self }
}
