/// What pushes that prove nothing lead to: questions to the vendor, few however many pushes come.
actor HintQuestions {
    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let lists: PendingLists
    private let inbox: InboxNews
    private var questions = Questions()

    init(
        _ core: AuthenticatorCore, _ servers: KnownServers, _ lists: PendingLists,
        _ inbox: InboxNews
    ) {
        self.core = core
        self.servers = servers
        self.lists = lists
        self.inbox = inbox
    }

    /// Follows a hint at each enrollment it names. One that the user brought, by a camera or a
    /// link, is followed at once; what an app hands on may be anybody's push.
    func follow(
        _ hint: PushEvent.Hint, from channel: PushMessage.Channel, knowing read: ReadForHint?
    ) async -> [Result<[Reception], PushError>] {
        let ids = hint.enrollments.sorted { $0.name < $1.name }
        let isUsers = channel == .scanned || channel == .link
        return await core.each(ids, of: { $0.provider }) { id in
            // What was read is one enrollment's, as a rule; of others nothing is known by it.
            await self.answer(to: hint, at: id, isPaced: !isUsers, knowing: read)
                .mapError { $0.attributed(to: id.provider) }
        }
    }

    /// Asks in the background what else waits at the vendor of a message: pushes get lost.
    func askForMissed(_ id: Enrollment.ID) {
        guard core.configuration.asksAfterPush, core.listsPending(id) else { return }
        Task { [weak self] in await self?.askForMissedNow(id) }
    }

    private func askForMissedNow(_ id: Enrollment.ID) async {
        guard await !servers.isListRefused(of: id) else { return }
        let hint = PushEvent.Hint(.challenges, at: [id])
        // The result is unused, so it mustn't mark the challenges as already told.
        let answer = await answer(to: hint, at: id, isPaced: true, takesNews: false)
        if case .failure(let error) = answer {
            await core.report(
                error.attributed(to: id.provider), "A vendor couldn't be asked what else waits.")
        }
    }

    private func answer(
        to hint: PushEvent.Hint, at id: Enrollment.ID, isPaced: Bool, takesNews: Bool = true,
        knowing read: ReadForHint? = nil
    ) async -> Result<[Reception], PushError> {
        guard isPaced else { return await ask([hint], at: id, knowing: read) }
        if case .finished(let name) = hint.topic {
            // One that isn't open here needs no question.
            do throws(PushError) {
                guard try await core.row(Challenge.ID(name, of: id))?.state == .open else {
                    return .success([])
                }
            } catch {
                return .failure(error)
            }
        }
        let key = Questions.Key(enrollment: id, topic: hint.topic)
        if questions.add(hint, to: key, draw: core.environment.random.fraction()) {
            core.environment.observer.observe(
                PushObservation(
                    .noticed, "One of too many unproved messages was dropped.",
                    provider: id.provider, enrollment: id))
        }
        questions.join(key)
        let question = questions.waiting(for: key) ?? ask(key, knowing: read)
        // It goes on whoever gives up waiting: others may wait for it, and it puts things on record.
        let found = await question.valueWhileWanted()
        // It is news to one of those who waited for it.
        guard takesNews, questions.tellNews(of: question, for: key) else {
            return found.map { $0.map(\.known) }
        }
        return found
    }

    /// Makes a question wait for its time.
    private func ask(_ key: Questions.Key, knowing read: ReadForHint?) -> Questions.Answer {
        let question = Questions.Answer { [weak self, clock = core.environment.clock] in
            _ = await self?.questions.running(for: key)?.value
            if let pause = await self?.pause(before: key) { await clock.sleep(for: pause) }
            return await self?.askNow(key, knowing: read)
                ?? .failure(PushError(.cancelled, "The authenticator is gone."))
        }
        questions.wait(question, for: key)
        return question
    }

    /// How many callers wait for the question about a matter of an enrollment that waits.
    func callers(at id: Enrollment.ID, about topic: PushEvent.Hint.Topic) -> Int {
        questions.callers(of: Questions.Key(enrollment: id, topic: topic))
    }

    /// How long a question must still wait after the one before it.
    private func pause(before key: Questions.Key) -> Duration? {
        guard let start = questions.lastStart(of: key), core.configuration.hintInterval > .zero
        else {
            return nil
        }
        let interval = core.configuration.hintInterval
        let passed = core.environment.clock.elapsed - start
        guard passed < interval else { return nil }
        return interval - passed + interval * core.environment.random.fraction() / 2
    }

    private func askNow(
        _ key: Questions.Key, knowing read: ReadForHint?
    ) async -> Result<[Reception], PushError> {
        let isPaused = await servers.knownPause(of: key.enrollment) != nil
        let hints = questions.begin(key, at: core.environment.clock.elapsed)
        defer { questions.end(key) }
        guard !isPaused else {
            return .failure(KnownServers.pauseError(key.enrollment))
        }
        return await ask(hints, at: key.enrollment, knowing: read)
    }

    private func ask(
        _ hints: [PushEvent.Hint], at id: Enrollment.ID, knowing read: ReadForHint?
    ) async -> Result<[Reception], PushError> {
        var answers: [Result<[Reception], PushError>] = []
        for (index, hint) in hints.enumerated() {
            // The first may have changed what was read.
            let read = index == 0 ? read : nil
            answers.append(
                await Result { () async throws(PushError) in
                    try await ask(hint, at: id, knowing: read)
                })
        }
        return await Result { () async throws(PushError) in try await core.merged(answers) }
    }

    private func ask(
        _ hint: PushEvent.Hint, at id: Enrollment.ID, knowing read: ReadForHint?
    ) async throws(PushError) -> [Reception] {
        switch hint.topic {
        case .challenges: try await lists.pending(for: id, after: hint, knowing: read)
        case .enrollment: try await lists.refreshed(id)
        case .inbox: try await inbox.news(of: id)
        case .finished(let name): try await lists.closedIfOver(Challenge.ID(name, of: id))
        }
    }

    /// Forgets the matters of an enrollment that is gone.
    func forget(_ id: Enrollment.ID) { questions.forget(id) }
}
