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

    /// Goes on with what the index names; no row that is over is read, but for those of the days that
    /// have passed, once a day.
    private func resumeByIndex() async throws(PushError) -> [Challenge.ID: Outcome] {
        let entries = try await core.ledger.index.entries()
        await challenges.survey(open: entries.compactMap(\.openChallenge))
        let decided = entries.compactMap(\.decidedChallenge)
            .filter { core.registry[$0.enrollment.provider] != nil }
        let (found, needless) = try await rowsToDeliver(decided)
        var groups: [[AnnouncedRow]] = []
        var places: [Enrollment.ID: Int] = [:]
        for row in found {
            guard await !decisions.isUnderway(row.row.id) else { continue }
            await retries.forget(.decision(row.row.id))
            if let place = places[row.row.id.enrollment] {
                groups[place].append(row)
            } else {
                places[row.row.id.enrollment] = groups.count
                groups.append([row])
            }
        }
        // Processes that start together shouldn't meet at the same rows.
        if core.environment.store.traits.contains(.shared) {
            groups = core.environment.random.shuffled(groups)
        }
        var outcomes: [Challenge.ID: Outcome] = [:]
        let delivered = await core.each(groups, of: { $0.first?.row.id.enrollment.provider }) {
            rows in
            await self.deliver(rows)
        }
        for found in delivered { outcomes.merge(found) { $1 } }
        await housekeeping.tidy(entries, needless: needless)
        let waiting = Dictionary(
            entries.compactMap(\.challenge).map { ($0.enrollment, 1) }, uniquingKeysWith: +)
        await ForgettingByDay(core: core, housekeeping: housekeeping).runOnceADay(waiting: waiting)
        return outcomes
    }

    /// The rows of decisions that wait for their word, by few trips; and the challenges that needn't
    /// have been named. A row that can't be read is reported.
    private func rowsToDeliver(
        _ ids: [Challenge.ID]
    ) async throws(PushError) -> (found: [AnnouncedRow], needless: Set<Challenge.ID>) {
        let inHand = try await core.ledger.inHand(all: ids)
        var found: [AnnouncedRow] = []
        var needless: Set<Challenge.ID> = []
        for id in ids {
            switch inHand[id] {
            case .success(let row):
                if let row = AnnouncedRow(row), case .decided = row.row.state {
                    found.append(row)
                } else {
                    needless.insert(id)
                }
            case .failure(let error) where error.isUnreadableRow:
                await core.report(UnreadableRow(id: id, error: error))
            case .failure(let error): throw error
            case nil: continue
            }
        }
        return (found, needless)
    }

    /// Delivers one enrollment's decisions, in order, from rows that were read together.
    private func deliver(_ rows: [AnnouncedRow]) async -> [Challenge.ID: Outcome] {
        let credential = Locked<KnownRecord?>(nil)
        var outcomes: [Challenge.ID: Outcome] = [:]
        for row in rows {
            outcomes.merge(
                await outcome(of: row.row.id, from: DeliveryStart(row: row, credential: credential))
            ) { $1 }
        }
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
        let delivered = await core.each(groups, of: { $0.first?.enrollment.provider }) { ids in
            await self.deliver(ids)
        }
        for found in delivered { outcomes.merge(found) { $1 } }
        await housekeeping.tidy(rows, finished: finished, unreadable: unreadable)
        await housekeeping.forgetWhatIsLeft()
        return outcomes
    }

    /// Delivers one enrollment's decisions, in order.
    private func deliver(_ ids: [Challenge.ID]) async -> [Challenge.ID: Outcome] {
        var outcomes: [Challenge.ID: Outcome] = [:]
        for id in ids { outcomes.merge(await outcome(of: id)) { $1 } }
        return outcomes
    }

    private func outcome(
        of id: Challenge.ID, from start: DeliveryStart? = nil
    ) async -> [Challenge.ID: Outcome] {
        do throws(PushError) {
            return try await outbox.deliver(id, from: start).map { [id: $0.outcome] } ?? [:]
        } catch {
            await core.report(
                error.attributed(to: id.enrollment.provider), "A decision couldn't be sent.")
            return [id: .unknown(error.reason)]
        }
    }
}
