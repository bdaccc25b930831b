/// Takes messages: finds each one's provider, verifies it, and remembers what it announces.
struct Intake: Sendable {
    let core: AuthenticatorCore
    let recorder: ArrivalRecorder
    let questions: HintQuestions

    /// What is known of a message once it is on record.
    private struct Remembered {
        var isOurs = false
        var results: [Result<[Reception], PushError>] = []
        var hints: [PushEvent.Hint] = []
        /// What was read to recognize the hints.
        var read: ReadForHint?
    }

    func receive(_ message: PushMessage) async throws(PushError) -> Receipt {
        try await reporting { () async throws(PushError) in
            try await followed(try await remember(message), from: message.channel)
        }
    }

    /// Returns as soon as a message is on record; vendors are asked in the background.
    func accept(
        _ message: PushMessage
    ) async throws(PushError) -> (
        receipt: Receipt, question: Task<Result<Receipt, PushError>, Never>?
    ) {
        let remembered = try await reporting { () async throws(PushError) in
            try await remember(message)
        }
        guard !remembered.hints.isEmpty else {
            let receptions = try await core.merged(remembered.results)
            return (Receipt(receptions, isOurs: remembered.isOurs), nil)
        }
        let question = Task {
            await Result { () async throws(PushError) in
                try await reporting { () async throws(PushError) in
                    try await followed(remembered, from: message.channel)
                }
            }
        }
        return (.nothingNew([]), question)
    }

    /// Verifies a message, and puts on record what it announces.
    private func remember(_ message: PushMessage) async throws(PushError) -> Remembered {
        var remembered = Remembered()
        let start = core.environment.clock.elapsed
        let (events, hands) = try await core.registry.verified(message, in: core.environment)
        for event in events {
            remembered.isOurs = true
            if case .hint(let hint) = event { remembered.hints.append(hint) }
            if let reception = try await take(event, hands) {
                core.tell([reception], since: start)
                remembered.results.append(.success([reception]))
            }
        }
        if !remembered.hints.isEmpty {
            remembered.read = ReadForHint(hands.mapValues(\.forLater), at: start)
        }
        return remembered
    }

    private func followed(
        _ remembered: Remembered, from channel: PushMessage.Channel
    ) async throws(PushError) -> Receipt {
        var results = remembered.results
        for hint in remembered.hints {
            results += await questions.follow(hint, from: channel, knowing: remembered.read)
        }
        return Receipt(try await core.merged(results), isOurs: remembered.isOurs)
    }

    private func reporting<Value>(
        _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let start = core.environment.clock.elapsed
        do throws(PushError) {
            return try await body()
        } catch {
            await core.report(error, "A message was refused.")
            core.environment.observer.observe(
                ObservedStep(
                    .receive, of: nil, by: error.provider, .failed(error.code.name),
                    taking: core.environment.clock.elapsed - start))
            throw error
        }
    }

    /// Takes what was verified; hints prove nothing.
    private func take(
        _ event: PushEvent, _ hands: [Enrollment.ID: DocumentInHand]
    ) async throws(PushError) -> Reception? {
        switch event {
        case .notice(let announcement):
            let id = announcement.notice.id.enrollment
            let reception = try await recorder.remember(
                [announcement], in: try await hand(of: id, hands))[0].get()
            await questions.askForMissed(id)
            return reception
        case .withdrawal(let withdrawal):
            let id = withdrawal.id.enrollment
            let reception = try await recorder.remember(
                withdrawal, in: try await hand(of: id, hands))
            await questions.askForMissed(id)
            return reception
        case .incompatible(let incompatible):
            return try await recorder.remember(
                incompatible, in: try await hand(of: incompatible.id.enrollment, hands))
        case .hint:
            return nil
        }
    }

    /// The document that a message was verified with.
    private func hand(
        of id: Enrollment.ID, _ hands: [Enrollment.ID: DocumentInHand]
    ) async throws(PushError) -> DocumentInHand {
        if let hand = hands[id] { return hand }
        return try await core.hand(of: id)
    }
}
