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
            guard !Task.isCancelled else { return }
            await sleepUntilNextDue()
        }
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

    /// Brings forward what is due later than the user's waiting allows.
    private func hurryPolling() {
        let now = environment.clock.elapsed
        for (id, due) in polling.due {
            let pause = policies.polling.pause(isBusy: true, environment.random)
            polling.due[id] = min(due, max(now, (polling.asked[id] ?? now) + pause))
        }
        polling.sleeper?.cancel()
    }

    private func askAllDue() async {
        let now = environment.clock.elapsed
        let listed: [Enrollment.ID]
        do throws(PushError) {
            listed = try await enrollments().map(\.id).filter(listsPending)
        } catch {
            return report(error, "The enrollments can't be listed for polling.")
        }
        let gone = Set(polling.due.keys).subtracting(listed)
        for id in gone {
            polling.due[id] = nil
            polling.asked[id] = nil
            polling.busy.remove(id)
        }
        var due: [Enrollment.ID] = []
        for id in listed where polling.due[id, default: now] <= now {
            if let pause = await pause(of: id) {
                polling.due[id] = now + pause
            } else {
                due.append(id)
            }
        }
        _ = await each(due) { id in await self.askDue(id) }
    }

    private func askDue(_ id: Enrollment.ID) async {
        polling.asked[id] = environment.clock.elapsed
        do throws(PushError) {
            let isBusy = try await pending(for: id).contains {
                if case .notice = $0.kind { true } else { false }
            }
            if isBusy { polling.busy.insert(id) } else { polling.busy.remove(id) }
        } catch {
            polling.busy.remove(id)
            report(error.of(id.provider), "A vendor couldn't be asked what waits.")
        }
        let isBusy = polling.isUserWaiting || polling.busy.contains(id)
        polling.due[id] =
            environment.clock.elapsed
            + policies.polling.pause(isBusy: isBusy, environment.random)
    }

    private func sleepUntilNextDue() async {
        let now = environment.clock.elapsed
        let next = polling.isPaused ? nil : polling.due.values.min()
        let idle = policies.polling.pause(isBusy: polling.isUserWaiting, environment.random)
        let pause = next.map { max(.milliseconds(10), $0 - now) } ?? idle
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
