/// Who may go next: one holder for each key at a time, the others wait in order.
///
/// A question waits behind everything else: it is often a stranger who makes the device ask, and
/// nobody's answer waits for that.
struct TurnOrder<Key: Hashable & Sendable> {
    /// Who waits, and whether the turn came; it doesn't to a question that nobody wants any more.
    private typealias Waiting = [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)]

    private var held: [Key: (first: Waiting, questions: Waiting)] = [:]
    private var lastTicket = 0

    /// Takes a free turn; `false` if it is held.
    mutating func take(_ key: Key) -> Bool {
        guard held[key] == nil else { return false }
        held[key] = ([], [])
        return true
    }

    /// A number for one who is about to wait.
    mutating func ticket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Waits for a held turn; the continuation resumes as its holder.
    mutating func wait(
        for key: Key, asQuestion isQuestion: Bool, with ticket: Int,
        _ continuation: CheckedContinuation<Bool, Never>
    ) {
        if isQuestion {
            held[key, default: ([], [])].questions.append((ticket, continuation))
        } else {
            held[key, default: ([], [])].first.append((ticket, continuation))
        }
    }

    /// Takes a question out that nobody wants any more.
    mutating func giveUp(_ key: Key, _ ticket: Int) {
        guard let index = held[key]?.questions.firstIndex(where: { $0.ticket == ticket }) else {
            return
        }
        held[key]?.questions.remove(at: index).continuation.resume(returning: false)
    }

    /// How many wait for a turn.
    func waiting(for key: Key) -> (first: Int, questions: Int) {
        (held[key]?.first.count ?? 0, held[key]?.questions.count ?? 0)
    }

    /// Ends a turn, and hands it to the one that has waited longest, questions last.
    mutating func end(_ key: Key) {
        guard var queue = held[key] else { return }
        let next: CheckedContinuation<Bool, Never>
        if !queue.first.isEmpty {
            next = queue.first.removeFirst().continuation
        } else if !queue.questions.isEmpty {
            next = queue.questions.removeFirst().continuation
        } else {
            held[key] = nil
            return
        }
        held[key] = queue
        next.resume(returning: true)
    }
}

/// What one at a time may work on.
enum TurnKey: Hashable {
    case enrollment(Enrollment.ID)
    case enrolling(ProviderID)
    case deviceToken
    case notification(Challenge.ID)
}

/// Who may go next, in this process.
actor TurnKeeper {
    private var turns = TurnOrder<TurnKey>()

    /// Runs a function in a turn.
    ///
    /// - Throws: What `body` throws; `PushError` with the code `cancelled` if the caller's task was
    ///   cancelled while a question waited. Anything else waits all the same, as it must be finished.
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
        turns.waiting(for: key)
    }

    private func begin(_ key: TurnKey, asQuestion isQuestion: Bool) async -> Bool {
        guard !turns.take(key) else { return true }
        let ticket = turns.ticket()
        guard isQuestion else {
            return await withCheckedContinuation {
                turns.wait(for: key, asQuestion: false, with: ticket, $0)
            }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation {
                turns.wait(for: key, asQuestion: true, with: ticket, $0)
            }
        } onCancel: {
            // It runs after the waiting began, as this actor does both.
            Task { await self.giveUp(key, ticket) }
        }
    }

    private func giveUp(_ key: TurnKey, _ ticket: Int) { turns.giveUp(key, ticket) }

    private func end(_ key: TurnKey) { turns.end(key) }
}
