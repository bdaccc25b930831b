/// What one at a time may work on.
enum TurnKey: Hashable {
    case enrollment(Enrollment.ID)
    case enrolling(ProviderID)
    case deviceToken
    case notification(Challenge.ID)
}

/// Who may go next, in this process: one holder for each key at a time, the others wait in order.
///
/// A question waits behind everything else: it is often a stranger who makes the device ask, and
/// nobody's answer waits for that.
actor TurnKeeper {
    private struct Waiting {
        let ticket: Int
        let isQuestion: Bool

        /// Whether the turn came; it doesn't to a question that nobody wants any more.
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// Who waits for each turn that is held, in the order in which they came.
    private var held: [TurnKey: [Waiting]] = [:]
    private var lastTicket = 0

    /// Runs a function in a turn. Throws `cancelled` if the caller's task was cancelled while a
    /// question waited. Anything else waits all the same, as it must be finished.
    nonisolated(nonsending) func turn<Value: Sendable>(
        _ key: TurnKey, asQuestion isQuestion: Bool = false,
        _ body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        guard await begin(key, asQuestion: isQuestion) else {
            throw PushError(.cancelled, "The caller gave up waiting.")
        }
        let result = await Result(catching: body)
        await end(key)
        return try result.get()
    }

    /// How many wait for a turn.
    func waiting(for key: TurnKey) -> (first: Int, questions: Int) {
        let waiting = held[key] ?? []
        let questions = waiting.count { $0.isQuestion }
        return (waiting.count - questions, questions)
    }

    private func begin(_ key: TurnKey, asQuestion isQuestion: Bool) async -> Bool {
        guard held[key] != nil else {
            held[key] = []
            return true
        }
        lastTicket += 1
        let ticket = lastTicket
        return await withTaskCancellationHandler {
            await withCheckedContinuation {
                held[key, default: []].append(
                    Waiting(ticket: ticket, isQuestion: isQuestion, continuation: $0))
            }
        } onCancel: {
            // It runs after the waiting began, as this actor does both.
            if isQuestion { Task { await self.giveUp(key, ticket) } }
        }
    }

    private func giveUp(_ key: TurnKey, _ ticket: Int) {
        guard let index = held[key]?.firstIndex(where: { $0.ticket == ticket }) else { return }
        held[key]?.remove(at: index).continuation.resume(returning: false)
    }

    private func end(_ key: TurnKey) {
        guard let waiting = held[key], !waiting.isEmpty else {
            held[key] = nil
            return
        }
        let next = waiting.firstIndex { !$0.isQuestion } ?? 0
        held[key]?.remove(at: next).continuation.resume(returning: true)
    }
}
