/// Takes messages: finds each one's provider, verifies it, and remembers what it announces.
struct Intake: Sendable {
    let core: AuthenticatorCore
    let recorder: ArrivalRecorder
    let questions: HintQuestions

    /// What is known of a message once it is on record.
    private struct Remembered {
        var isOurs = false
        var results: [Result<[Reception], PushError>] = []
        var hints: [Hint] = []
        /// What was read to recognize the hints.
        var read: ReadForHint?
    }

    func receive(_ message: PushMessage) async throws(PushError) -> Receipt {
        try await reporting { () async throws(PushError) in
            try await followed(try await remember(message), from: message.channel)
        }
    }

    /// Returns as soon as a message is on record; vendors are asked in the background.
    func accept(_ message: PushMessage) async throws(PushError) -> AcceptedMessage {
        let remembered = try await reporting { () async throws(PushError) in
            try await remember(message)
        }
        guard !remembered.hints.isEmpty else {
            return AcceptedMessage(
                Receipt(
                    try await core.merged(remembered.results), isOurs: remembered.isOurs))
        }
        let question = Task {
            await Result { () async throws(PushError) in
                try await reporting { () async throws(PushError) in
                    try await followed(remembered, from: message.channel)
                }
            }
        }
        return AcceptedMessage(.nothingNew([]), question: question)
    }

    private func remember(_ message: PushMessage) async throws(PushError) -> Remembered {
        do throws(PushError) {
            return try await remember(message, holdingBack: true)
        } catch  where error.isOvertaken {
            // Nothing is on record yet, or nothing that is new.
            return try await remember(message, holdingBack: false)
        }
    }

    /// Verifies a message, and puts on record what it announces.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - holdsBack: Whether what its provider writes in its credential may wait, to be one trip with
    ///     the challenge.
    /// - Returns: What came of it.
    /// - Throws: What the provider and the store throw; an error that ``PushError/isOvertaken`` if
    ///   another process had changed the credential before what was held back was written.
    private func remember(
        _ message: PushMessage, holdingBack holdsBack: Bool
    ) async throws(PushError) -> Remembered {
        var remembered = Remembered()
        let start = core.environment.clock.elapsed
        let (counter, servers) = (recorder.burstCounter, recorder.servers)
        let along: RecordMemo.Along = { key in
            guard let id = key.credential else { return [] }
            return await counter.keysBesideCredential(of: id)
                + servers.keysBesideCredential(of: id)
        }
        try await core.environment.remembering(along: along, holdingBack: holdsBack) {
            () async throws(PushError) in
            do throws(PushError) {
                for event in try await core.registry.events(
                    from: message, in: core.environment)
                {
                    remembered.isOurs = true
                    if case .hint(let hint) = event { remembered.hints.append(hint) }
                    if let reception = try await take(event) {
                        core.tell([reception], since: start)
                        remembered.results.append(.success([reception]))
                    }
                }
            } catch {
                // What the provider learned counts whatever becomes of the message.
                if !error.isOvertaken { try? await RecordMemo.writeHeldBack() }
                throw error
            }
            try await RecordMemo.writeHeldBack()
            if !remembered.hints.isEmpty, let memo = RecordMemo.current.get() {
                remembered.read = ReadForHint(await memo.known, at: start)
            }
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
    private func take(_ event: PushEvent) async throws(PushError) -> Reception? {
        switch event {
        case .notice(let announcement):
            let reception = try await recorder.remember(announcement)
            await questions.askForMissed(announcement.notice.id.enrollment)
            return reception
        case .withdrawal(let withdrawal):
            try await RecordMemo.writeHeldBack()
            let reception = try await recorder.remember(withdrawal)
            await questions.askForMissed(withdrawal.id.enrollment)
            return reception
        case .incompatible(let incompatible):
            try await RecordMemo.writeHeldBack()
            return try await recorder.remember(incompatible)
        case .hint:
            return nil
        }
    }
}
