/// The challenges as they change.
extension PushAuthenticator {
    /// The challenges that wait, and then each challenge whose state this process or another one on
    /// the same store changes.
    ///
    /// First comes each challenge that waits as it is now, open or decided, newest first. What this
    /// authenticator's ``updates(keeping:)`` tell comes at once. Any other change is found by
    /// looking at the store: one listing of the enrollments in which work waits, and one reading of
    /// these. A challenge that waited and of which only a trace is left comes with the outcome
    /// `unknown` if it was answered, else as over for the reason `unknown`.
    ///
    /// Each state comes once. A reader that falls behind gets the newest state of each challenge.
    /// Nothing is read while nobody waits for the next one. The sequence ends with its
    /// authenticator. If the store can't be read, the observer is told, and the next look tries
    /// again.
    ///
    /// - Parameter pause: How long after one look begins the next one does, at least 100 milliseconds:
    ///   longer where a look takes more than a tenth of that, so that a store with many enrollments
    ///   isn't read all the time.
    /// - Returns: The challenges' records, for one reader.
    public func changes(
        every pause: Duration = .seconds(1)
    ) async -> AsyncStream<ChallengeRecord> {
        let changes = ChallengeChanges(of: self, every: max(pause, .milliseconds(100)))
        await changes.follow(await core.updates.told())
        return AsyncStream(unfolding: { await changes.next() })
    }
}

/// What was seen of the challenges, and what of that was told.
private actor ChallengeChanges {
    /// A challenge that waits, or whose end isn't told yet.
    private struct Course {
        /// What was seen of it last.
        var record: ChallengeRecord

        /// What was told of it last.
        var told: ChallengeRecord.State?
        var isInLine = false
    }

    private weak var authenticator: PushAuthenticator?
    private let clock: any PushClock
    private let pause: Duration
    private var courses: [Challenge.ID: Course] = [:]

    /// The challenges of which something is to be told, in order.
    private var line: ArraySlice<Challenge.ID> = []

    /// The ends that were told: an update may speak of them once more.
    private var ended = Cache<Challenge.ID, ChallengeRecord.State>()

    /// What the updates named since it was read last.
    private var named: [Challenge.ID] = []

    /// What the updates told so well that it needn't be read.
    private var brought: [ChallengeRecord] = []

    /// What the updates named when the store couldn't be read.
    private var missed: [Challenge.ID] = []

    /// The enrollments that can't be read, as was reported.
    private var unreadable: Set<Enrollment.ID> = []
    private var nextLook: Duration?
    private var sleeper: CheckedContinuation<Void, Never>?
    /// Wakes the sleeper when it is time to look, however often it was woken before.
    private var alarm: Task<Void, Never>?
    private var follower: Task<Void, Never>?

    init(of authenticator: PushAuthenticator, every pause: Duration) {
        self.authenticator = authenticator
        self.pause = pause
        clock = authenticator.core.environment.clock
    }

    deinit {
        follower?.cancel()
        alarm?.cancel()
    }

    /// Hears of this process's changes.
    func follow(_ updates: AsyncStream<UpdateStreams.Told>) {
        follower = Task { [weak self] in
            for await (update, record) in updates { await self?.note(update, record) }
            await self?.wake()
        }
    }

    private func note(_ update: AuthenticatorUpdate, _ record: ChallengeRecord?) {
        switch update {
        case .received(let reception):
            if case .notice(let notice, _) = reception.kind {
                brought.append(ChallengeRecord(notice: notice, state: .open))
            } else {
                named += [reception.challenge].compactMap { $0 }
            }
        case .outcome(let id, _): if let record { brought.append(record) } else { named.append(id) }
        case .removed(let id): named += courses.keys.filter { $0.enrollment == id }
        case .enrollment: return
        }
        wake()
    }

    private func wake() {
        sleeper?.resume()
        sleeper = nil
    }

    // MARK: Telling

    /// Waits for the next change; `nil` once the authenticator is gone or the task is cancelled.
    func next() async -> ChallengeRecord? {
        while !Task.isCancelled, await look() {
            if let record = popFirst() { return record }
            await sleep()
        }
        return nil
    }

    private func popFirst() -> ChallengeRecord? {
        while let id = line.popFirst() {
            guard var course = courses[id] else { continue }
            let state = course.record.state
            let isNews = state != course.told
            course.isInLine = false
            course.told = state
            courses[id] = state.isFinished ? nil : course
            if state.isFinished { ended[id] = state }
            if isNews { return course.record }
        }
        return nil
    }

    private func sleep() async {
        let rest = nextLook.map { $0 - clock.elapsed } ?? pause
        guard named.isEmpty, brought.isEmpty, rest > .zero else { return }
        if alarm == nil {
            alarm = Task { [weak self, clock] in
                await clock.sleep(for: rest)
                await self?.ring()
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { sleeper = $0 }
        } onCancel: {
            // It runs after the sleep began, as this actor does both.
            Task { await self.wake() }
        }
    }

    private func ring() {
        alarm = nil
        wake()
    }

    // MARK: Looking

    /// Reads what the updates named, and all that waits if it is time for that; `false` if the
    /// authenticator is gone.
    private func look() async -> Bool {
        guard let core = authenticator?.core else { return false }
        seeBrought()
        let start = clock.elapsed
        let isDue = nextLook.map { start >= $0 } ?? true
        guard isDue || !named.isEmpty else { return true }
        // Taken before anything is read: what changes meanwhile is read once more.
        let ids = named + (isDue ? missed : [])
        named = []
        if isDue { missed = [] }
        do throws(PushError) {
            try await read(ids, andAll: isDue, core)
        } catch {
            missed += ids
            core.report(error, "What became of the challenges can't be read.")
        }
        if isDue { nextLook = start + max(pause, (clock.elapsed - start) * 10) }
        return true
    }

    /// An end is final. What was open once is news of what nobody has seen yet; else it may be old.
    private func seeBrought() {
        for record in brought {
            let id = record.id
            if record.state.isFinished || courses[id] == nil && ended[id] == nil {
                see(record)
            } else {
                named.append(id)
            }
        }
        brought = []
    }

    private typealias Found = [Enrollment.ID: Result<DocumentInHand, PushError>]

    private func read(
        _ ids: [Challenge.ID], andAll isDue: Bool, _ core: AuthenticatorCore
    ) async throws(PushError) {
        var (ids, found): (_, Found) = (ids, [:])
        if isDue {
            let waiting = try await core.documents.ids(waiting: true)
            found = try await documents(
                of: waiting.filter { core.registry[$0.provider] != nil }, core)
            let records = PushAuthenticator.records(found.values.flatMap(\.waitingRows))
            for record in records { see(record) }
            let seen = Set(records.map(\.id))
            ids += courses.filter { !$1.record.state.isFinished && !seen.contains($0) }.keys
                .inOrder(by: \.name)
        }
        // Twice, as a key store may miss a record once.
        for _ in 0..<2 {
            let rest = Set(ids.map(\.enrollment)).filter { found[$0] == nil }
            if rest.isEmpty { break }
            found.merge(try await documents(of: Array(rest), core)) { $1 }
        }
        for id in ids { see(id, in: found[id.enrollment]) }
    }

    /// The documents that are there. One that can't be read is reported once.
    private func documents(
        of ids: [Enrollment.ID], _ core: AuthenticatorCore
    ) async throws(PushError) -> Found {
        var all: Found = [:]
        for (id, found) in try await core.documents.read(all: ids) {
            all[id] = found
            if case .failure(let error) = found {
                guard unreadable.insert(id).inserted else { continue }
                core.report(unreadable: id, error)
            } else {
                unreadable.remove(id)
            }
        }
        return all
    }

    /// Learns what became of a challenge from its enrollment's document; `nil` if that is gone.
    private func see(_ id: Challenge.ID, in found: Result<DocumentInHand, PushError>?) {
        let known: EnrollmentDocument.Known
        do throws(PushError) {
            known = try found?.get().known(id) ?? .never
        } catch {
            // What can't be read isn't over.
            return
        }
        if case .row(let row) = known {
            if let record = ChallengeRecord(row) { see(record) }
        } else if let last = courses[id]?.record, !last.state.isFinished {
            see(ChallengeRecord(notice: last.notice, state: known.end(of: last)))
        }
    }

    private func see(_ record: ChallengeRecord) {
        let id = record.id
        var course = courses[id] ?? Course(record: record, told: ended[id])
        guard course.told != record.state else {
            courses[id]?.record = record
            return
        }
        course.record = record
        if !course.isInLine { line.append(id) }
        course.isInLine = true
        courses[id] = course
    }
}

extension Result<DocumentInHand, PushError> {
    /// The rows that wait, as far as this version can read them.
    fileprivate var waitingRows: [LedgerRow] {
        (try? get().look { $0.readRows(waiting: true).rows }) ?? []
    }
}

extension EnrollmentDocument.Known {
    /// How a challenge ended that waited, and whose row is gone.
    fileprivate func end(of last: ChallengeRecord) -> ChallengeRecord.State {
        guard case .trace(let trace) = self, let resolution = trace.verdict.resolution else {
            return .over(Withdrawal(last.id, .unknown))
        }
        return .answered(
            last.state.resolution ?? resolution, .unknown("Only a trace of the answer is left."))
    }
}
