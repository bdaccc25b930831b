/// Who may go next: one holder for each key at a time, the others wait in order.
///
/// A question waits behind everything else: it is often a stranger who makes the device ask, and
/// nobody's answer waits for that.
struct TurnOrder<Key: Hashable & Sendable> {
    private typealias Waiting = [CheckedContinuation<Void, Never>]

    private var held: [Key: (first: Waiting, questions: Waiting)] = [:]

    /// Takes a free turn; `false` if it is held.
    mutating func take(_ key: Key) -> Bool {
        guard held[key] == nil else { return false }
        held[key] = ([], [])
        return true
    }

    /// Waits for a held turn; the continuation resumes as its holder.
    mutating func wait(
        for key: Key, asQuestion isQuestion: Bool, _ continuation: CheckedContinuation<Void, Never>
    ) {
        if isQuestion {
            held[key, default: ([], [])].questions.append(continuation)
        } else {
            held[key, default: ([], [])].first.append(continuation)
        }
    }

    /// How many wait for a turn.
    func waiting(for key: Key) -> (first: Int, questions: Int) {
        (held[key]?.first.count ?? 0, held[key]?.questions.count ?? 0)
    }

    /// Ends a turn, and hands it to the one that has waited longest, questions last.
    mutating func end(_ key: Key) {
        guard var queue = held[key] else { return }
        let next: CheckedContinuation<Void, Never>
        if !queue.first.isEmpty {
            next = queue.first.removeFirst()
        } else if !queue.questions.isEmpty {
            next = queue.questions.removeFirst()
        } else {
            held[key] = nil
            return
        }
        held[key] = queue
        next.resume()
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
    nonisolated(nonsending) func turn<Value: Sendable>(
        _ key: TurnKey, asQuestion isQuestion: Bool = false,
        _ body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        await begin(key, asQuestion: isQuestion)
        let result = await Result(catching: body)
        await end(key)
        return try result.get()
    }

    /// How many wait for a turn.
    func waiting(for key: TurnKey) -> (first: Int, questions: Int) {
        turns.waiting(for: key)
    }

    private func begin(_ key: TurnKey, asQuestion isQuestion: Bool) async {
        guard !turns.take(key) else { return }
        await withCheckedContinuation { turns.wait(for: key, asQuestion: isQuestion, $0) }
    }

    private func end(_ key: TurnKey) { turns.end(key) }
}
