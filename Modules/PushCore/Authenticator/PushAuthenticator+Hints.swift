/// What pushes that prove nothing lead to: questions to the vendor, few however many pushes come.
extension PushAuthenticator {
    /// Follows a hint at each enrollment it names. One that the user brought, by a camera or a link,
    /// is followed at once; what an app hands on may be anybody's push.
    func follow(
        _ hint: Hint, from channel: PushMessage.Channel
    ) async -> [Result<[Reception], PushError>] {
        let ids = hint.enrollments.sorted { $0.name < $1.name }
        let isUsers = channel == .scanned || channel == .link
        return await each(ids) { id in
            await self.answer(to: hint, at: id, isPaced: !isUsers)
                .mapError { $0.of(id.provider) }
        }
    }

    /// Asks in the background what else waits at the vendor of a message: pushes get lost.
    func askAround(_ id: Enrollment.ID) {
        guard policies.asksAfterPush, listsPending(id) else { return }
        Task { [weak self] in await self?.askAroundNow(id) }
    }

    private func askAroundNow(_ id: Enrollment.ID) async {
        let hint = Hint(.challenges, at: [id])
        // Nobody takes what it returns, so it's no news to anybody by that.
        let answer = await answer(to: hint, at: id, isPaced: true, takesNews: false)
        if case .failure(let error) = answer {
            report(error.of(id.provider), "A vendor couldn't be asked what else waits.")
        }
    }

    private func answer(
        to hint: Hint, at id: Enrollment.ID, isPaced: Bool, takesNews: Bool = true
    ) async -> Result<[Reception], PushError> {
        guard isPaced else { return await ask([hint], at: id) }
        if case .finished(let name) = hint.topic {
            // One that isn't open here needs no question.
            do throws(PushError) {
                guard try await ledger.row(Challenge.ID(name, of: id))?.state == .open else {
                    return .success([])
                }
            } catch {
                return .failure(error)
            }
        }
        let key = Questions.Key(enrollment: id, topic: hint.topic)
        if questions.add(hint, to: key, draw: environment.random.fraction()) {
            environment.observer.observe(
                Observation(
                    .noticed, "Of many unproved messages one gave way to others.",
                    provider: id.provider, enrollment: id))
        }
        questions.join(key)
        let question = questions.waiting(for: key) ?? ask(key)
        let found = await question.value
        // It is news to one of those who waited for it.
        guard takesNews, questions.tellNews(of: question, for: key) else {
            return found.map { $0.map(\.known) }
        }
        return found
    }

    /// Makes a question wait for its time.
    private func ask(_ key: Questions.Key) -> Questions.Answer {
        let question = Questions.Answer { [weak self, clock = environment.clock] in
            _ = await self?.questions.running(for: key)?.value
            if let pause = await self?.pause(before: key) { await clock.sleep(for: pause) }
            return await self?.askNow(key)
                ?? .failure(PushError(.cancelled, "The authenticator is gone."))
        }
        questions.wait(question, for: key)
        return question
    }

    /// How many callers wait for the question about an enrollment's challenges that waits.
    package func callersOfQuestion(at id: Enrollment.ID) -> Int {
        questions.callers(of: Questions.Key(enrollment: id, topic: .challenges))
    }

    /// How long a question must still wait after the one before it.
    private func pause(before key: Questions.Key) -> Duration? {
        guard let start = questions.lastStart(of: key), policies.hintInterval > .zero else {
            return nil
        }
        let interval = policies.hintInterval
        let passed = environment.clock.elapsed - start
        guard passed < interval else { return nil }
        return interval - passed + interval * environment.random.fraction() / 2
    }

    private func askNow(_ key: Questions.Key) async -> Result<[Reception], PushError> {
        let isPaused = await pause(of: key.enrollment) != nil
        let hints = questions.begin(key, at: environment.clock.elapsed)
        defer { questions.end(key) }
        guard !isPaused else {
            return .failure(PushError(.unreachable, "The server asked not to be asked yet."))
        }
        return await ask(hints, at: key.enrollment)
    }

    private func ask(
        _ hints: [Hint], at id: Enrollment.ID
    ) async -> Result<[Reception], PushError> {
        var answers: [Result<[Reception], PushError>] = []
        for hint in hints {
            answers.append(
                await Result { () async throws(PushError) in try await ask(hint, at: id) })
        }
        return Result { () throws(PushError) in try merged(answers) }
    }

    private func ask(_ hint: Hint, at id: Enrollment.ID) async throws(PushError) -> [Reception] {
        switch hint.topic {
        case .challenges:
            return try await pending(for: id, after: hint)
        case .enrollment:
            let provider = try provider(id.provider)
            let before = await state(of: id)
            let enrollment = try await turn(of: id, asQuestion: true) {
                () async throws(PushError) in try await provider.enroller.refresh(id)
            }
            return [Reception(kind: .enrollment(enrollment), isNew: enrollment.state != before)]
        case .inbox:
            return try await newMessages(of: id)
        case .finished(let name):
            let challenge = Challenge.ID(name, of: id)
            guard let row = try await ledger.row(challenge), row.state == .open,
                let announcement = row.announcement
            else { return [] }
            return try await turn(of: id, asQuestion: true) {
                () async throws(PushError) in try await closeIfOver(announcement)
            }
        }
    }

    /// What was found, unless nothing was and something failed: one vendor that can't be asked
    /// doesn't stop the others.
    func merged(
        _ results: [Result<[Reception], PushError>]
    ) throws(PushError) -> [Reception] {
        var found: [Reception] = []
        var failures: [PushError] = []
        for result in results {
            switch result {
            case .success(let receptions): found += receptions
            case .failure(let error): failures.append(error)
            }
        }
        if found.isEmpty, let first = failures.first { throw first }
        for failure in failures { report(failure, "A hint couldn't be followed.") }
        return found
    }
}
