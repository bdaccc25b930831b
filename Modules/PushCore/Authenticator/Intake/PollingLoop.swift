/// The loop that asks vendors with a list what waits, for apps that can't count on pushes.
actor PollingLoop {
    private typealias Question = @Sendable (Enrollment.ID) async -> Void

    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let challenges: ChallengeLifecycle

    /// Whether the app says that the user waits for something.
    private var isUserWaiting = false

    /// Whether the app has paused it.
    private var isPaused = false

    /// When each enrollment was asked last, and is asked next, by the monotonic clock.
    private var asked: [Enrollment.ID: Duration] = [:]
    private var due: [Enrollment.ID: Duration] = [:]

    /// The questions that are under way.
    private var questions: [Enrollment.ID: Task<Void, Never>] = [:]

    /// Those among them of which something was opened meanwhile.
    private var hurried: Set<Enrollment.ID> = []

    /// The loop's present pause.
    private var sleeper: Task<Void, Never>?

    init(_ core: AuthenticatorCore, _ servers: KnownServers, _ challenges: ChallengeLifecycle) {
        self.core = core
        self.servers = servers
        self.challenges = challenges
    }

    /// Asks for the enrollments that are wanted until the task is cancelled.
    func poll(
        where isWanted: @escaping @Sendable (Enrollment.ID) -> Bool,
        failed: @escaping @Sendable (Enrollment.ID, PushError) -> Void,
        asking lists: PendingLists
    ) async {
        let ask: Question = { [core, servers] id in
            do throws(PushError) {
                _ = try await lists.pending(for: id)
            } catch {
                let error = error.attributed(to: id.provider)
                // What only the user opens isn't asked for again and again.
                if error.code == .locked { await servers.noteLocked(id) }
                failed(id, error)
                core.report(error, "A vendor couldn't be asked what waits.")
            }
        }
        while !Task.isCancelled {
            if !isPaused { await askAllDue(where: isWanted, ask) }
            guard !Task.isCancelled else { break }
            await sleepUntilNextDue()
        }
        for question in questions.values { question.cancel() }
        for question in questions.values { await question.value }
    }

    /// Says whether the user waits for something.
    func setUserWaiting(_ isWaiting: Bool) {
        isUserWaiting = isWaiting
        guard isWaiting else { return }
        for id in due.keys { hurry(id) }
    }

    /// Stops the loop from asking, or lets it go on.
    func pause(_ isPaused: Bool) {
        self.isPaused = isPaused
        if !isPaused { sleeper?.cancel() }
    }

    /// How many enrollments are asked for right now.
    var underway: Int { questions.count }

    /// Forgets an enrollment that is gone.
    func forget(_ id: Enrollment.ID) {
        due[id] = nil
        asked[id] = nil
        hurried.remove(id)
    }

    /// Brings an enrollment's question forward: something of it is open now, or the user waits.
    func hurry(_ id: Enrollment.ID) {
        if questions[id] != nil { hurried.insert(id) }
        guard let known = due[id] else { return }
        let now = core.environment.clock.elapsed
        let pause = core.configuration.polling.pause(isBusy: true, core.environment.random)
        due[id] = min(known, max(now, (asked[id] ?? now) + pause))
        sleeper?.cancel()
    }

    /// Starts what is due, up to each vendor's limit, so that a vendor that doesn't answer keeps
    /// no other waiting.
    private func askAllDue(
        where isWanted: (Enrollment.ID) -> Bool, _ ask: @escaping Question
    ) async {
        let listed: Set<Enrollment.ID>
        do throws(PushError) {
            // Without reading their records.
            listed = Set(try await core.documents.ids().filter(core.listsPending))
                .subtracting(await servers.refusedLists)
                .subtracting(await servers.locked).filter(isWanted)
        } catch {
            let later = core.environment.clock.elapsed + Polling.shortest
            due = due.mapValues { max($0, later) }
            return core.report(error, "The enrollments can't be listed for polling.")
        }
        for id in Set(due.keys).subtracting(listed) { forget(id) }
        let now = core.environment.clock.elapsed
        for id in listed where due[id] == nil { due[id] = now }
        let next = due.filter { $0.value <= now && questions[$0.key] == nil }
            .inOrder { ($0.value.inSeconds, $0.key.name) }
        for (id, _) in next where !fullProviders.contains(id.provider) {
            if let pause = await servers.pause(of: id) {
                due[id] = now + pause
            } else {
                questions[id] = Task { await askDue(id, ask) }
            }
        }
    }

    /// The providers of which as many are asked for as may be.
    private var fullProviders: Set<ProviderID> {
        let width = max(1, core.configuration.concurrency)
        let counts = Dictionary(
            questions.keys.map { ($0.provider, 1) }, uniquingKeysWith: +)
        return Set(counts.filter { $0.value >= width }.keys)
    }

    private func askDue(_ id: Enrollment.ID, _ ask: Question) async {
        asked[id] = core.environment.clock.elapsed
        await ask(id)
        hurried.remove(id)
        let hasOpen = await challenges.hasOpen(id)
        // One may have come while that was asked.
        let isBusy = isUserWaiting || hasOpen || hurried.contains(id)
        due[id] =
            core.environment.clock.elapsed
            + core.configuration.polling.pause(isBusy: isBusy, core.environment.random)
        questions[id] = nil
        // Another may be due that had to wait for this one.
        sleeper?.cancel()
    }

    private func sleepUntilNextDue() async {
        let now = core.environment.clock.elapsed
        let full = fullProviders
        let next =
            due
            .filter { questions[$0.key] == nil && !full.contains($0.key.provider) }
            .values.min()
        let idle = core.configuration.polling.pause(
            isBusy: isUserWaiting, core.environment.random)
        // Many are asked for at one waking. The end of a question wakes the loop as well.
        let pause = isPaused ? idle : next.map { max(.seconds(1), $0 - now) } ?? idle
        let clock = core.environment.clock
        let sleeper = Task { await clock.sleep(for: pause) }
        self.sleeper = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        self.sleeper = nil
    }
}
