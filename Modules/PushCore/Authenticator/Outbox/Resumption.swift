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

    /// How many works wait to be tried again, and how many are being tried.
    var background: (asleep: Int, underway: Int) {
        get async { (await retries.asleep, await retries.underway) }
    }

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
        let outcomes =
            core.ledger.isIndexed ? try await resumeByIndex() : try await resumeByRows()
        for failure in try await turns.tellDeviceToken().values {
            await core.report(failure, "A vendor couldn't be told the device token.")
        }
        return outcomes
    }

    /// Goes on with what the index names; no row that is over is read, but once a day.
    private func resumeByIndex() async throws(PushError) -> [Challenge.ID: Outcome] {
        let entries = try await core.ledger.index.entries()
        await challenges.survey(open: entries.compactMap(\.openChallenge))
        var groups: [[Challenge.ID]] = []
        var places: [Enrollment.ID: Int] = [:]
        for id in entries.compactMap(\.decidedChallenge) {
            guard core.registry[id.enrollment.provider] != nil, await !decisions.isUnderway(id)
            else { continue }
            await retries.forget(.decision(id))
            if let place = places[id.enrollment] {
                groups[place].append(id)
            } else {
                places[id.enrollment] = groups.count
                groups.append([id])
            }
        }
        // Processes that start together shouldn't meet at the same rows.
        if core.environment.store.traits.contains(.shared) {
            groups = core.environment.random.shuffled(groups)
        }
        var outcomes: [Challenge.ID: Outcome] = [:]
        for found in await core.each(groups, { ids in await self.deliver(ids) }) {
            outcomes.merge(found) { $1 }
        }
        await housekeeping.tidy(entries)
        await housekeeping.tidyOnceADay()
        return outcomes
    }

    private func resumeByRows() async throws(PushError) -> [Challenge.ID: Outcome] {
        let (rows, unreadable, finished) = try await core.surveyUnfinished()
        await challenges.survey(rows)
        var decided: [LedgerRow] = []
        for row in rows {
            guard case .decided = row.state, core.registry[row.id.enrollment.provider] != nil,
                await !decisions.isUnderway(row.id)
            else { continue }
            decided.append(row)
            await retries.forget(.decision(row.id))
        }
        // In a defined order, so that what is seen once can be seen again.
        let groups = Dictionary(grouping: decided, by: \.id.enrollment).values
            .map { rows in rows.sorted { ($0.seen, $0.id.name) < ($1.seen, $1.id.name) } }
            .sorted { ($0[0].seen, $0[0].id.name) < ($1[0].seen, $1[0].id.name) }
            .map { rows in rows.map(\.id) }
        var outcomes: [Challenge.ID: Outcome] = [:]
        for found in await core.each(groups, { ids in await self.deliver(ids) }) {
            outcomes.merge(found) { $1 }
        }
        await housekeeping.tidy(rows, finished: finished, unreadable: unreadable)
        await housekeeping.forgetWhatIsLeft()
        return outcomes
    }

    /// Delivers one enrollment's decisions, in order.
    private func deliver(_ ids: [Challenge.ID]) async -> [Challenge.ID: Outcome] {
        var outcomes: [Challenge.ID: Outcome] = [:]
        for id in ids {
            do throws(PushError) {
                outcomes[id] = try await outbox.deliver(id)?.outcome
            } catch {
                await core.report(
                    error.attributed(to: id.enrollment.provider), "A decision couldn't be sent.")
                outcomes[id] = .unknown(error.reason)
            }
        }
        return outcomes
    }
}
