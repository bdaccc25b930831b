/// Goes on with everything that isn't finished, once however often it is asked for at a time.
actor Resumption {
    private let core: AuthenticatorCore
    private let challenges: ChallengeLifecycle
    private let turns: EnrollmentTurns
    private let decisions: Decisions
    private let outbox: Outbox
    private let retries: Retries
    private let housekeeping: Housekeeping
    private var resuming: Task<Result<[Challenge.ID: Outcome], PushError>, Never>?

    /// How many have come to wait for what another caller began.
    private(set) var others = 0

    init(
        _ core: AuthenticatorCore, _ challenges: ChallengeLifecycle, _ turns: EnrollmentTurns,
        _ decisions: Decisions, _ outbox: Outbox, _ retries: Retries, _ housekeeping: Housekeeping
    ) {
        self.core = core
        self.challenges = challenges
        self.turns = turns
        self.decisions = decisions
        self.outbox = outbox
        self.retries = retries
        self.housekeeping = housekeeping
    }

    func resume() async throws(PushError) -> [Challenge.ID: Outcome] {
        if let resuming {
            others += 1
            return try await resuming.value.get()
        }
        let task = Task { [self] in
            let result = await Result { () async throws(PushError) in try await resumeOnce() }
            resuming = nil
            return result
        }
        resuming = task
        return try await task.value.get()
    }

    private func resumeOnce() async throws(PushError) -> [Challenge.ID: Outcome] {
        let hands = try await core.surveyed(waiting: true)
        var waiting: [(hand: DocumentInHand, decided: [LedgerRow])] = []
        for hand in hands {
            await challenges.note(open: hand.open, of: hand.id)
            var decided: [LedgerRow] = []
            for row in core.rows(in: hand, waiting: true) {
                guard case .decided = row.state, await !decisions.isUnderway(row.id) else {
                    continue
                }
                decided.append(row)
                await retries.forget(.decision(row.id))
            }
            if !decided.isEmpty { waiting.append((hand, decided)) }
        }
        // In a defined order, so that what is seen once can be seen again; but processes that start
        // together on one shared store shouldn't meet at the same enrollments.
        if core.environment.store.isShared {
            waiting = core.environment.random.shuffled(waiting)
        }
        var outcomes: [Challenge.ID: Outcome] = [:]
        let delivered = await core.each(waiting, of: { $0.hand.id.provider }) { waiting in
            await self.deliver(waiting.decided, in: waiting.hand)
        }
        for found in delivered { outcomes.merge(found) { $1 } }
        for hand in hands { await housekeeping.tidy(hand) }
        for failure in try await turns.tellDeviceToken().values {
            core.report(failure, "A vendor couldn't be told the device token.")
        }
        return outcomes
    }

    /// Delivers one enrollment's decisions, in order.
    private func deliver(
        _ rows: [LedgerRow], in hand: DocumentInHand
    ) async -> [Challenge.ID: Outcome] {
        var outcomes: [Challenge.ID: Outcome] = [:]
        for row in rows.inOrder(by: { ($0.seen, $0.id.name) }) {
            do throws(PushError) {
                outcomes[row.id] = try await outbox.deliver(row.id, from: hand)?.outcome
            } catch {
                core.report(error, "A decision couldn't be sent.", by: hand.id.provider)
                outcomes[row.id] = .unknown(error.reason)
            }
        }
        return outcomes
    }
}
