/// What failed is tried again in the background, until ``Backoff/tries`` have failed.
extension PushAuthenticator {
    /// Something that is tried again.
    enum Work: Hashable {
        case decision(Challenge.ID)
        case deviceToken(Enrollment.ID)
    }

    /// How often a work has failed, and who waits to try it again.
    struct Retry {
        var failures = 0
        var sleeper: Task<Void, Never>?
    }

    /// Tries to deliver a decision again later, but not before its server wants to be asked; and
    /// once its time has run out, to ask what became of it.
    func tryAgain(_ notice: Notice) async {
        let work = Work.decision(notice.id)
        var delay = delay(before: work)
        if let rest = await rest(of: notice), rest > .zero {
            delay = min(delay, rest + .seconds(1))
        }
        let pause = await pause(of: notice.id.enrollment)
        sleep(for: max(delay, pause ?? .zero), before: work)
    }

    /// Tells a device token again later, but not before the server wants to be asked.
    func tryAgain(_ id: Enrollment.ID) async {
        let delay = delay(before: .deviceToken(id))
        let pause = await pause(of: id)
        sleep(for: max(delay, pause ?? .zero), before: .deviceToken(id))
    }

    /// Tries again after a given pause, which says nothing of failure.
    func tryAgain(_ work: Work, after pause: Duration) {
        sleep(for: pause + .milliseconds(10), before: work)
    }

    /// Stops trying: it's done, or it starts anew.
    func forget(_ work: Work) {
        retries.removeValue(forKey: work)?.sleeper?.cancel()
    }

    private func delay(before work: Work) -> Duration {
        let failures = (retries[work]?.failures ?? 0) + 1
        retries[work, default: Retry()].failures = failures
        return policies.backoff.pause(after: failures, environment.random)
    }

    private func sleep(for pause: Duration, before work: Work) {
        retries[work]?.sleeper?.cancel()
        guard retries[work]?.failures ?? 0 <= policies.backoff.tries, policies.backoff.tries > 0
        else { return }
        let clock = environment.clock
        let sleeper = Task { [weak self] in
            await clock.sleep(for: pause)
            guard !Task.isCancelled else { return }
            await self?.goOn(with: work)
        }
        retries[work, default: Retry()].sleeper = sleeper
    }

    private func goOn(with work: Work) async {
        // It may have been cancelled on its way here; then someone else's turn to try has come.
        guard !Task.isCancelled else { return }
        // It no longer sleeps: whoever comes now must not cancel what it sends.
        retries[work]?.sleeper = nil
        do throws(PushError) {
            switch work {
            case .decision(let id): _ = try await deliver(id)
            case .deviceToken(let id): try await tellDeviceToken(to: id)
            }
        } catch {
            report(error, "What is tried again in the background was refused.")
            guard error.isPassing else { return forgetUnlessAsleep(work) }
            if retries[work]?.sleeper == nil { sleep(for: delay(before: work), before: work) }
        }
    }

    private func forgetUnlessAsleep(_ work: Work) {
        if retries[work]?.sleeper == nil { retries[work] = nil }
    }
}
