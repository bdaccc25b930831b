/// The loop that asks vendors with a list what waits, for apps that can't count on pushes.
actor PollingLoop {
    private typealias Question = @Sendable (Enrollment.ID) async -> Void

    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let challenges: ChallengeLifecycle
    private var polling = PollingState()

    init(_ core: AuthenticatorCore, _ servers: KnownServers, _ challenges: ChallengeLifecycle) {
        self.core = core
        self.servers = servers
        self.challenges = challenges
    }

    /// Asks until the task is cancelled.
    ///
    /// - Parameters:
    ///   - isWanted: Whether an enrollment is asked for.
    ///   - failed: Hears of each question that failed.
    ///   - lists: What asks the vendors.
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
                await core.report(error, "A vendor couldn't be asked what waits.")
            }
        }
        while !Task.isCancelled {
            if !polling.isPaused { await askAllDue(where: isWanted, ask) }
            guard !Task.isCancelled else { break }
            await sleepUntilNextDue()
        }
        for question in polling.underway.values { question.cancel() }
        for question in polling.underway.values { await question.value }
    }

    /// Says whether the user waits for something.
    func setUserWaiting(_ isWaiting: Bool) {
        polling.isUserWaiting = isWaiting
        if isWaiting { hurry() }
    }

    /// Stops the loop from asking, or lets it go on.
    func pause(_ isPaused: Bool) {
        polling.isPaused = isPaused
        if !isPaused { polling.sleeper?.cancel() }
    }

    /// How many enrollments are asked for right now.
    var underway: Int { polling.underway.count }

    /// Forgets an enrollment that is gone.
    func forget(_ id: Enrollment.ID) { polling.forget(id) }

    /// Brings forward what is due later than the user's waiting allows.
    private func hurry() {
        for id in polling.due.keys { hurry(id) }
    }

    /// Brings an enrollment's question forward: something of it is open now.
    func hurry(_ id: Enrollment.ID) {
        if polling.underway[id] != nil { polling.hurried.insert(id) }
        guard let due = polling.due[id] else { return }
        let now = core.environment.clock.elapsed
        let pause = core.configuration.polling.pause(isBusy: true, core.environment.random)
        polling.due[id] = min(due, max(now, (polling.asked[id] ?? now) + pause))
        polling.sleeper?.cancel()
    }

    /// Starts what is due, up to each vendor's limit, so that a vendor that doesn't answer keeps
    /// no other waiting.
    private func askAllDue(
        where isWanted: (Enrollment.ID) -> Bool, _ ask: @escaping Question
    ) async {
        let listed: Set<Enrollment.ID>
        do throws(PushError) {
            listed = try await enrollmentsWithList().filter(isWanted)
        } catch {
            let later = core.environment.clock.elapsed + Polling.shortest
            for (id, due) in polling.due { polling.due[id] = max(due, later) }
            return await core.report(error, "The enrollments can't be listed for polling.")
        }
        for id in Set(polling.due.keys).subtracting(listed) { polling.forget(id) }
        let now = core.environment.clock.elapsed
        for id in listed where polling.due[id] == nil { polling.due[id] = now }
        let due = polling.due.filter { $0.value <= now && polling.underway[$0.key] == nil }
            .sorted { ($0.value, $0.key.name) < ($1.value, $1.key.name) }
        for (id, _) in due where !fullProviders.contains(id.provider) {
            if let pause = await servers.pause(of: id) {
                polling.due[id] = now + pause
            } else {
                polling.underway[id] = Task { await askDue(id, ask) }
            }
        }
    }

    /// The enrollments that have a list to be asked for, without reading their records. One whose vendor
    /// lets nobody ask isn't among them.
    private func enrollmentsWithList() async throws(PushError) -> Set<Enrollment.ID> {
        var ids: Set<Enrollment.ID> = []
        for provider in core.registry.ids
        where core.registry[provider]?.capabilities.contains(.pendingList) == true {
            ids.formUnion(try await core.environment.accounts(for: provider).ids())
        }
        return ids.subtracting(await servers.refusedLists).subtracting(await servers.locked)
    }

    /// The providers of which as many are asked for as may be.
    private var fullProviders: Set<ProviderID> {
        let width = max(1, core.configuration.concurrency)
        let counts = Dictionary(
            polling.underway.keys.map { ($0.provider, 1) }, uniquingKeysWith: +)
        return Set(counts.filter { $0.value >= width }.keys)
    }

    private func askDue(_ id: Enrollment.ID, _ ask: Question) async {
        polling.asked[id] = core.environment.clock.elapsed
        await ask(id)
        polling.hurried.remove(id)
        let hasOpen = await challenges.hasOpen(id)
        // One may have come while that was asked.
        let isBusy = polling.isUserWaiting || hasOpen || polling.hurried.contains(id)
        polling.due[id] =
            core.environment.clock.elapsed
            + core.configuration.polling.pause(isBusy: isBusy, core.environment.random)
        polling.underway[id] = nil
        // Another may be due that had to wait for this one.
        polling.sleeper?.cancel()
    }

    private func sleepUntilNextDue() async {
        let now = core.environment.clock.elapsed
        let full = fullProviders
        let next = polling.due
            .filter { polling.underway[$0.key] == nil && !full.contains($0.key.provider) }
            .values.min()
        let idle = core.configuration.polling.pause(
            isBusy: polling.isUserWaiting, core.environment.random)
        // Many are asked for at one waking. The end of a question wakes the loop as well.
        let pause = polling.isPaused ? idle : next.map { max(.seconds(1), $0 - now) } ?? idle
        let clock = core.environment.clock
        let sleeper = Task { await clock.sleep(for: pause) }
        polling.sleeper = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        polling.sleeper = nil
    }
}

/// How far the loop of ``PushAuthenticator/poll(where:failed:)`` is.
struct PollingState {
    /// Whether the app says that the user waits for something.
    var isUserWaiting = false

    /// Whether the app has paused it.
    var isPaused = false

    /// When each enrollment was asked last, and is asked next, by the monotonic clock.
    var asked: [Enrollment.ID: Duration] = [:]
    var due: [Enrollment.ID: Duration] = [:]

    /// The questions that are under way.
    var underway: [Enrollment.ID: Task<Void, Never>] = [:]

    /// Those among them of which something was opened meanwhile.
    var hurried: Set<Enrollment.ID> = []

    /// The loop's present pause.
    var sleeper: Task<Void, Never>?

    /// Forgets an enrollment that isn't asked any more.
    mutating func forget(_ id: Enrollment.ID) {
        due[id] = nil
        asked[id] = nil
        hurried.remove(id)
    }
}
