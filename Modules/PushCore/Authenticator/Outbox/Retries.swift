/// What failed and is tried again in the background, until ``Backoff/tries`` have failed.
actor Retries {
    /// Something that is tried again.
    enum Work: Hashable {
        case decision(Challenge.ID)
        case deviceToken(Enrollment.ID)
    }

    /// How a work is tried.
    typealias Body = @Sendable () async throws(PushError) -> Void

    /// How often a work has failed, and who waits to try it again.
    private struct Retry {
        var failures = 0
        var sleeper: Task<Void, Never>?
    }

    private let core: AuthenticatorCore
    private let servers: KnownServers
    private var retries: [Work: Retry] = [:]

    /// How many works are being tried right now.
    private(set) var underway = 0

    /// How many works wait to be tried again.
    var asleep: Int { retries.values.count { $0.sleeper != nil } }

    init(_ core: AuthenticatorCore, _ servers: KnownServers) {
        self.core = core
        self.servers = servers
    }

    deinit {
        for retry in retries.values { retry.sleeper?.cancel() }
    }

    /// Tries a work again later, but not before its server wants to be asked; and once the time of
    /// a decision's notice has run out, to ask what became of it.
    func tryAgain(_ work: Work, of notice: Notice? = nil, _ body: @escaping Body) async {
        var delay = delay(before: work)
        if let notice, let rest = await servers.rest(of: notice), rest > .zero {
            delay = min(delay, rest + .seconds(1))
        }
        let pause = await servers.pause(of: work.enrollment)
        sleep(for: max(delay, pause ?? .zero), before: work, body)
    }

    /// Tries again after a given pause, which says nothing of failure.
    func tryAgain(_ work: Work, after pause: Duration, _ body: @escaping Body) {
        sleep(for: pause + .milliseconds(10), before: work, body)
    }

    /// Stops trying: it's done, or it starts from the beginning.
    func forget(_ work: Work) {
        retries.removeValue(forKey: work)?.sleeper?.cancel()
    }

    private func delay(before work: Work) -> Duration {
        let failures = (retries[work]?.failures ?? 0) + 1
        retries[work, default: Retry()].failures = failures
        return core.configuration.backoff.pause(after: failures, core.environment.random)
    }

    private func sleep(for pause: Duration, before work: Work, _ body: @escaping Body) {
        retries[work]?.sleeper?.cancel()
        let tries = core.configuration.backoff.tries
        guard retries[work]?.failures ?? 0 <= tries, tries > 0 else { return }
        let clock = core.environment.clock
        let sleeper = Task { [weak self] in
            await clock.sleep(for: pause)
            guard !Task.isCancelled else { return }
            await self?.run(work, body)
        }
        retries[work, default: Retry()].sleeper = sleeper
    }

    private func run(_ work: Work, _ body: @escaping Body) async {
        // It may have been cancelled on its way here; then someone else's turn to try has come.
        guard !Task.isCancelled else { return }
        // It no longer sleeps: a later caller must not cancel what it sends.
        retries[work]?.sleeper = nil
        underway += 1
        defer { underway -= 1 }
        do throws(PushError) {
            try await body()
        } catch {
            core.report(error, "What is tried again in the background was refused.")
            guard retries[work]?.sleeper == nil else { return }
            if error.isPassing {
                sleep(for: delay(before: work), before: work, body)
            } else {
                retries[work] = nil
            }
        }
    }
}

extension Retries.Work {
    /// Whose it is.
    fileprivate var enrollment: Enrollment.ID {
        switch self {
        case .decision(let id): id.enrollment
        case .deviceToken(let id): id
        }
    }
}
