/// The loop that asks vendors with a list what waits, for apps that can't count on pushes.
extension PushAuthenticator {
    /// Asks every vendor that has a list again and again, until the task is cancelled. What is found
    /// comes through ``updates(keeping:)``.
    ///
    /// An enrollment is asked every 5 seconds, a little more by chance and never more often, while
    /// one of its challenges is open or the app says that the user waits
    /// (``userWaits(_:)``); else every minute (``Policies/polling``). A server's `Retry-After` is
    /// waited for, and no more than ``Policies/width`` are asked at once. Run one loop for each
    /// authenticator.
    public func poll() async {
        while !Task.isCancelled {
            if !polling.isPaused { await askAllDue() }
            guard !Task.isCancelled else { break }
            await sleepUntilNextDue()
        }
        for question in polling.underway.values { question.cancel() }
        for question in polling.underway.values { await question.value }
    }

    /// Says whether the user waits for something, such as on a screen that says "waiting for your
    /// login": it is asked about more often then, at once if it wasn't asked about just now.
    public func userWaits(_ isWaiting: Bool) {
        polling.isUserWaiting = isWaiting
        if isWaiting { hurryPolling() }
    }

    /// Stops ``poll()`` from asking, such as while the app is in the background, or lets it go on.
    public func pausePolling(_ isPaused: Bool) {
        polling.isPaused = isPaused
        if !isPaused { polling.sleeper?.cancel() }
    }

    /// How many enrollments ``poll()`` is asking for right now.
    package var polledNow: Int { polling.underway.count }

    /// Brings forward what is due later than the user's waiting allows.
    private func hurryPolling() {
        for id in polling.due.keys { hurryPolling(of: id) }
    }

    /// Brings an enrollment's question forward: something of it is open now.
    func hurryPolling(of id: Enrollment.ID) {
        guard let due = polling.due[id] else { return }
        let now = environment.clock.elapsed
        let pause = policies.polling.pause(isBusy: true, environment.random)
        polling.due[id] = min(due, max(now, (polling.asked[id] ?? now) + pause))
        polling.sleeper?.cancel()
    }

    /// Begins as many of the questions that are due as may be under way at once: one vendor that
    /// doesn't answer keeps no other waiting.
    private func askAllDue() async {
        let listed: Set<Enrollment.ID>
        do throws(PushError) {
            listed = try await enrollmentsWithList()
        } catch {
            let later = environment.clock.elapsed + Polling.shortest
            for (id, due) in polling.due { polling.due[id] = max(due, later) }
            return report(error, "The enrollments can't be listed for polling.")
        }
        for id in Set(polling.due.keys).subtracting(listed) { polling.forget(id) }
        let now = environment.clock.elapsed
        for id in listed where polling.due[id] == nil { polling.due[id] = now }
        let due = polling.due.filter { $0.value <= now && polling.underway[$0.key] == nil }
            .sorted { ($0.value, $0.key.name) < ($1.value, $1.key.name) }
        for (id, _) in due where polling.underway.count < width {
            if let pause = await pause(of: id) {
                polling.due[id] = now + pause
            } else {
                polling.underway[id] = Task { await askDue(id) }
            }
        }
    }

    /// Whoever has a list to be asked for, without reading their records.
    private func enrollmentsWithList() async throws(PushError) -> Set<Enrollment.ID> {
        var ids: Set<Enrollment.ID> = []
        for provider in registry.ids
        where registry[provider]?.capabilities.contains(.pendingList) == true {
            ids.formUnion(try await environment.vault(for: provider).ids())
        }
        return ids
    }

    private func askDue(_ id: Enrollment.ID) async {
        polling.asked[id] = environment.clock.elapsed
        do throws(PushError) {
            _ = try await pending(for: id)
        } catch {
            report(error.of(id.provider), "A vendor couldn't be asked what waits.")
        }
        let isBusy = polling.isUserWaiting || openChallenges.has(id)
        polling.due[id] =
            environment.clock.elapsed
            + policies.polling.pause(isBusy: isBusy, environment.random)
        polling.underway[id] = nil
        // Another may be due that had to wait for this one.
        polling.sleeper?.cancel()
    }

    private func sleepUntilNextDue() async {
        let now = environment.clock.elapsed
        let isFull = polling.underway.count >= width
        let next = polling.due.filter { polling.underway[$0.key] == nil }.values.min()
        let idle = policies.polling.pause(isBusy: polling.isUserWaiting, environment.random)
        // Many are asked for at one waking. Whoever ends a question wakes the loop as well.
        let pause =
            polling.isPaused || isFull ? idle : next.map { max(.seconds(1), $0 - now) } ?? idle
        let clock = environment.clock
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
