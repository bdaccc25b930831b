import PushCore

/// The pushes that wait for a manager's newest keys, in memory alone: nothing that isn't verified is
/// stored. However many come, a manager is asked once for all of them.
actor KeyQuestions {
    /// What becomes of a push that waits.
    enum Answer {
        /// The manager has said its keys.
        case keys(ActivationRecord)
        /// It couldn't be asked, or its answer was lost.
        case failed
        /// It isn't asked for this push.
        case refused
    }

    private typealias Waiter = CheckedContinuation<Answer, Never>

    /// How many pushes of one manager wait at the most.
    private static let mostWaiting = 8

    /// By manager; there is an entry as long as it is being asked.
    private var waiting: [Enrollment.ID: [Waiter]] = [:]

    /// Asks a manager for its keys, or waits for the answer where it is being asked.
    ///
    /// Of more pushes than can wait the oldest is refused, so that those that were forged in advance
    /// don't keep out the genuine one.
    ///
    /// - Parameters:
    ///   - enrollment: The activation at the manager.
    ///   - mayAsk: Whether this push may make the device ask.
    ///   - ask: Asks; `nil` if that failed. It runs on if the caller gives up.
    func answer(
        of enrollment: Enrollment.ID, mayAsk: Bool,
        _ ask: @escaping @Sendable () async -> ActivationRecord?
    ) async -> Answer {
        guard mayAsk || waiting[enrollment] != nil else { return .refused }
        return await withCheckedContinuation { waiter in
            let isFirst = waiting[enrollment] == nil
            add(waiter, to: enrollment)
            guard isFirst else { return }
            Task { end(enrollment, with: await ask().map(Answer.keys) ?? .failed) }
        }
    }

    private func add(_ waiter: Waiter, to enrollment: Enrollment.ID) {
        var waiters = waiting[enrollment] ?? []
        if waiters.count == Self.mostWaiting { waiters.removeFirst().resume(returning: .refused) }
        waiting[enrollment] = waiters + [waiter]
    }

    private func end(_ enrollment: Enrollment.ID, with answer: Answer) {
        for waiter in waiting.removeValue(forKey: enrollment) ?? [] {
            waiter.resume(returning: answer)
        }
    }
}
