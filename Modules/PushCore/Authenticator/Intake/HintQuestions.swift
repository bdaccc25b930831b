/// What pushes that prove nothing lead to: questions to the vendor, few however many pushes come.
actor HintQuestions {
    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let lists: PendingLists
    private var questions = Questions()

    init(_ core: AuthenticatorCore, _ servers: KnownServers, _ lists: PendingLists) {
        self.core = core
        self.servers = servers
        self.lists = lists
    }

    /// Follows a hint at each enrollment it names. One that the user brought, by a camera or a
    /// link, is followed at once; what an app hands on may be anybody's push.
    func follow(
        _ hint: PushEvent.Hint, from channel: PushMessage.Channel, knowing read: ReadForHint?
    ) async -> [Result<[Reception], PushError>] {
        let ids = hint.enrollments.inOrder(by: \.name)
        let isUsers = channel == .scanned || channel == .link
        return await core.each(ids, of: { $0.provider }) { id in
            // What was read is one enrollment's, as a rule; of others nothing is known by it.
            await Result { () async throws(PushError) in
                try await self.answer(to: hint, at: id, isPaced: !isUsers, knowing: read)
            }.mapError { $0.attributed(to: id.provider) }
        }
    }

    /// Asks in the background what else waits at the vendor of a message: pushes get lost.
    func askForMissed(_ id: Enrollment.ID) {
        guard core.configuration.asksAfterPush, core.listsPending(id) else { return }
        Task { [weak self] in await self?.askForMissedNow(id) }
    }

    private func askForMissedNow(_ id: Enrollment.ID) async {
        guard await !servers.refusedLists.contains(id) else { return }
        await core.reporting("A vendor couldn't be asked what else waits.", by: id.provider) {
            () async throws(PushError) in
            // The result is unused, so it mustn't mark the challenges as already told.
            _ = try await answer(
                to: PushEvent.Hint(.challenges, at: [id]), at: id, isPaced: true, takesNews: false)
        }
    }

    private func answer(
        to hint: PushEvent.Hint, at id: Enrollment.ID, isPaced: Bool, takesNews: Bool = true,
        knowing read: ReadForHint? = nil
    ) async throws(PushError) -> [Reception] {
        guard isPaced else { return try await ask([hint], at: id, knowing: read) }
        if case .finished(let name) = hint.topic {
            // One that isn't open here needs no question.
            let row = try await core.row(Challenge.ID(name, of: id))
            guard row?.state == .open else { return [] }
        }
        let key = Questions.Key(enrollment: id, topic: hint.topic)
        if questions.add(hint, to: key, draw: core.environment.random.fraction()) {
            core.observe(.noticed, "One of too many unproved messages was dropped.", of: id)
        }
        questions[key].callers += 1
        let question = questions[key].waiting ?? ask(key, knowing: read)
        // It goes on whoever gives up waiting: others may wait for it, and it puts things on record.
        let found = try await question.valueWhileWanted().get()
        // It is news to one of those who waited for it.
        let isNews = takesNews && questions.tellNews(of: question, for: key)
        return isNews ? found : found.map(\.known)
    }

    /// Makes a question wait for its time.
    private func ask(_ key: Questions.Key, knowing read: ReadForHint?) -> Questions.Answer {
        let question = Questions.Answer { [weak self, clock = core.environment.clock] in
            _ = await self?.questions[key].running?.value
            if let pause = await self?.pause(before: key) { await clock.sleep(for: pause) }
            return await self?.askNow(key, knowing: read)
                ?? .failure(PushError(.cancelled, "The authenticator is gone."))
        }
        questions[key].waiting = question
        return question
    }

    /// How many callers wait for the question about a matter of an enrollment that waits.
    func callers(at id: Enrollment.ID, about topic: PushEvent.Hint.Topic) -> Int {
        questions[Questions.Key(enrollment: id, topic: topic)].callers
    }

    /// How long a question must still wait after the one before it.
    private func pause(before key: Questions.Key) -> Duration? {
        let interval = core.configuration.hintInterval
        guard let start = questions[key].started else { return nil }
        let passed = core.environment.clock.elapsed - start
        guard passed < interval else { return nil }
        return interval - passed + interval * core.environment.random.fraction() / 2
    }

    private func askNow(
        _ key: Questions.Key, knowing read: ReadForHint?
    ) async -> Result<[Reception], PushError> {
        let isPaused = await servers.knownPause(of: key.enrollment) != nil
        let hints = questions.begin(key, at: core.environment.clock.elapsed)
        defer { questions[key].running = nil }
        guard !isPaused else { return .failure(KnownServers.pauseError(key.enrollment)) }
        return await Result { () async throws(PushError) in
            try await ask(hints, at: key.enrollment, knowing: read)
        }
    }

    private func ask(
        _ hints: [PushEvent.Hint], at id: Enrollment.ID, knowing read: ReadForHint?
    ) async throws(PushError) -> [Reception] {
        var answers: [Result<[Reception], PushError>] = []
        for (index, hint) in hints.enumerated() {
            // The first may have changed what was read.
            let read = index == 0 ? read : nil
            answers.append(
                await Result { () async throws(PushError) in
                    try await ask(hint, at: id, knowing: read)
                })
        }
        return try core.merged(answers)
    }

    private func ask(
        _ hint: PushEvent.Hint, at id: Enrollment.ID, knowing read: ReadForHint?
    ) async throws(PushError) -> [Reception] {
        switch hint.topic {
        case .challenges: try await lists.pending(for: id, after: hint, knowing: read)
        case .enrollment: try await lists.refreshed(id)
        case .inbox: try await lists.news(of: id)
        case .finished(let name): try await lists.closedIfOver(Challenge.ID(name, of: id))
        }
    }

    /// Forgets the matters of an enrollment that is gone.
    func forget(_ id: Enrollment.ID) { questions.forget(id) }
}
