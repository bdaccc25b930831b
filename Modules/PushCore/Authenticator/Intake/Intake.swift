/// Takes messages: finds each one's provider, verifies it, and remembers what it announces.
struct Intake: Sendable {
    let core: AuthenticatorCore
    let recorder: ArrivalRecorder
    let questions: HintQuestions

    /// What is known of a message once it is on record.
    private struct Remembered {
        var isOurs = false
        var receptions: [Reception] = []
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
            return (Receipt(remembered.receptions, isOurs: remembered.isOurs), nil)
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
                core.tell(reception, since: start)
                remembered.receptions.append(reception)
            }
        }
        if !remembered.hints.isEmpty {
            remembered.read = ReadForHint(hands: hands.mapValues(\.forLater), time: start)
        }
        return remembered
    }

    private func followed(
        _ remembered: Remembered, from channel: PushMessage.Channel
    ) async throws(PushError) -> Receipt {
        var results = [Result<[Reception], PushError>.success(remembered.receptions)]
        for hint in remembered.hints {
            results += await questions.follow(hint, from: channel, knowing: remembered.read)
        }
        return Receipt(try core.merged(results), isOurs: remembered.isOurs)
    }

    private func reporting<Value>(
        _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let start = core.environment.clock.elapsed
        do throws(PushError) {
            return try await body()
        } catch {
            core.report(error, "A message was refused.")
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
            let hand = try await hand(of: announcement.notice.id, hands)
            let reception = try await recorder.remember([announcement], in: hand)[0].get()
            await questions.askForMissed(hand.id)
            return reception
        case .withdrawal(let withdrawal):
            let hand = try await hand(of: withdrawal.id, hands)
            let reception = try await recorder.remember(withdrawal, in: hand)
            await questions.askForMissed(hand.id)
            return reception
        case .incompatible(let incompatible):
            let hand = try await hand(of: incompatible.id, hands)
            return try await recorder.remember(incompatible, in: hand)
        case .hint: return nil
        }
    }

    /// The document that a message was verified with.
    private func hand(
        of id: Challenge.ID, _ hands: [Enrollment.ID: DocumentInHand]
    ) async throws(PushError) -> DocumentInHand {
        if let hand = hands[id.enrollment] { return hand }
        return try await core.hand(of: id.enrollment)
    }
}
