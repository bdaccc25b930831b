/// What the user decides: one decision for each challenge, recorded before it is sent.
actor Decisions {
    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let challenges: ChallengeLifecycle
    private let turns: EnrollmentTurns
    private let outbox: Outbox
    private var underway: [Challenge.ID: Underway] = [:]

    /// A decision that its caller, and perhaps others, wait for.
    private struct Underway {
        let resolution: Resolution
        let task: Task<Result<Outcome, PushError>, Never>
        /// How many others have come to wait for it.
        var others = 0

        /// Whether its own caller was cancelled before anything was decided, which says nothing of
        /// others who wait for it.
        func wasGivenUp(_ result: Result<Outcome, PushError>) -> Bool {
            guard task.isCancelled, case .failure(let error) = result else { return false }
            return error.code == .cancelled
        }
    }

    /// What the user chose, with all that came along.
    struct Choice: Sendable {
        let resolution: Resolution
        @Boxed private(set) var challenge: Challenge?
        let extras: (any Sendable)?
        let style: VerificationStyle
    }

    init(
        _ core: AuthenticatorCore, _ servers: KnownServers, _ challenges: ChallengeLifecycle,
        _ turns: EnrollmentTurns, _ outbox: Outbox
    ) {
        self.core = core
        self.servers = servers
        self.challenges = challenges
        self.turns = turns
        self.outbox = outbox
    }

    /// Whether one for a challenge is under way in this process.
    func isUnderway(_ id: Challenge.ID) -> Bool { underway[id] != nil }

    /// How many others have come to wait for the one that is under way.
    func waiting(for id: Challenge.ID) -> Int { underway[id]?.others ?? 0 }

    /// Decides a challenge, or joins the caller that is deciding the same.
    func decide(
        _ id: Challenge.ID, _ choice: Choice
    ) async throws(PushError) -> Outcome {
        while let winner = underway[id] {
            underway[id]?.others += 1
            let result = await winner.task.value
            if winner.resolution == choice.resolution, !winner.wasGivenUp(result) {
                return try result.get()
            }
            if case .success(let outcome) = result, !outcome.mayReopen {
                throw decidedOtherwise(winner.resolution, id)
            }
            // The winner came to nothing, such as a PIN prompt that was given up, or a caller that
            // was cancelled: next, please.
        }
        // A task of its own, as others may wait for it. It clears its own entry, so that whoever
        // does finds none.
        let task = Task { [self] in
            let result = await Result { () async throws(PushError) -> Outcome in
                try await settle(id, choice)
            }
            if case .failure(let error) = result {
                reportRefusal(error.attributed(to: id.enrollment.provider))
            }
            underway[id] = nil
            return result
        }
        underway[id] = Underway(resolution: choice.resolution, task: task)
        return try await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }.get()
    }

    /// Which decision stands is the caller's alone to hear, as it is what the user chose.
    private func reportRefusal(_ error: PushError) {
        switch error.code {
        case .cancelled, .decidedOtherwise: break
        default: core.report(error, "An answer was refused.")
        }
    }

    private func decidedOtherwise(_ resolution: Resolution, _ id: Challenge.ID) -> PushError {
        PushError(
            .decidedOtherwise(resolution), "Another decision stands.",
            provider: id.enrollment.provider)
    }

    private func settle(_ id: Challenge.ID, _ choice: Choice) async throws(PushError) -> Outcome {
        // As it was when the user opened it: if that's old, recording the decision finds out. What is
        // behind a guard is opened as it is now.
        let opened = await challenges.takeOpened(id)
            .flatMap { $0.document.guarded == nil ? $0 : nil }
        let (found, outcome) = try await priorDecision(id, choice, from: opened)
        if let outcome { return outcome }
        try await refuseLate(found)
        let proof = try await proof(of: choice, for: found)
        guard !Task.isCancelled else {
            throw PushError(
                .cancelled, "The caller gave up before anything was decided.",
                provider: id.enrollment.provider)
        }
        return try await OpenParts.lending(proof.opened) {
            () async throws(PushError) -> Outcome in
            var found = found
            if found.row.decided != nil, !proof.opened.isEmpty {
                // What is kept of an answer may have waited for its guard alone.
                let (newer, outcome) = try await priorDecision(id, choice, from: nil)
                if let outcome { return outcome }
                found = newer
            }
            // The caller may give up until here. A decision that is half sent must go on.
            let sending = Task { [found] in
                await Result { () async throws(PushError) -> Outcome in
                    try await send(found, choice, proof.evidence)
                }
            }
            return try await sending.value.get()
        }
    }

    /// Verifies the user for a yes, and opens the guard. Its challenge may be over meanwhile: recording the
    /// decision finds out.
    private func proof(
        of choice: Choice, for found: AnnouncedRow
    ) async throws(PushError) -> AuthenticatorCore.Proof {
        let isDenial = choice.resolution.isDenial
        let asked = isDenial ? [] : choice.challenge?.verification ?? []
        guard !asked.isEmpty || found.hand.document.guarded != nil else { return .init() }
        let purpose: VerificationRequest.Purpose =
            if let challenge = choice.challenge {
                .answer(challenge, choice.resolution)
            } else {
                .manage(found.id.enrollment, "deny a challenge")
            }
        var proof = try await core.timing(.verify, of: found.id) { () async throws(PushError) in
            try await core.proof(
                for: purpose, in: found.hand, to: [isDenial ? .denial : .approval, .delivery],
                asked, choice.style)
        }
        if isDenial { proof.evidence = [] }
        return proof
    }

    /// What stands before the user decides.
    ///
    /// - Returns: The row; and what came of the same decision, unless the user may decide, or only
    ///   the user can make its answer again.
    private func priorDecision(
        _ id: Challenge.ID, _ choice: Choice, from hand: DocumentInHand?
    ) async throws(PushError) -> (found: AnnouncedRow, outcome: Outcome?) {
        let found = try await core.announced(id, in: hand)
        switch found.row.state {
        case .open:
            return (found, nil)
        case .over:
            throw core.over(id)
        case .answered(choice.resolution, let outcome):
            return (found, outcome)
        case .answered(let other, _):
            throw decidedOtherwise(other, id)
        case .decided:
            // A caller that gives up stops nothing that is half sent.
            let sending = Task {
                await Result { () async throws(PushError) in
                    try await outbox.deliver(id, byUser: true)
                }
            }
            guard let (decided, outcome) = try await sending.value.get() else {
                // Someone else sent it, and the vendor's word has opened the challenge again.
                return try await priorDecision(
                    id, choice, from: await challenges.takeOpened(id))
            }
            if outcome.mayReopen {
                let now = try await core.announced(id)
                if now.row.state == .open {
                    return (now, decided == choice.resolution ? outcome : nil)
                }
            }
            guard decided == choice.resolution else { throw decidedOtherwise(decided, id) }
            // A denial takes no evidence, so it can be made again unopened.
            let canMakeAgain = choice.challenge != nil || choice.resolution.isDenial
            guard outcome == .verifyAgain, canMakeAgain else { return (found, outcome) }
            return (try await core.announced(id), nil)
        }
    }

    /// Refuses an answer whose time is certainly over, unless the vendor judges that itself.
    private func refuseLate(_ found: AnnouncedRow) async throws(PushError) {
        guard try await servers.isLate(found.announcement.notice) else { return }
        _ = try await challenges.close(Withdrawal(found.id, .expired), in: found.hand)
        throw PushError(
            .over, "The challenge has expired by the server's clock.",
            provider: found.id.enrollment.provider)
    }

    private func send(
        _ found: AnnouncedRow, _ choice: Choice, _ evidence: [Evidence]
    ) async throws(PushError) -> Outcome {
        let (announcement, id) = (found.announcement, found.id)
        let start = core.environment.clock.elapsed
        let outcome = try await turns.turn(of: id.enrollment, from: { found.hand }) {
            (turn) async throws(PushError) -> Outcome in
            let hand = try await turn.hand()
            let decision = Decision(
                announcement, choice.resolution, challenge: choice.challenge, evidence: evidence,
                isMadeAgain: found.row.decided?.mayHaveArrived == true,
                extras: choice.extras)
            let recorded: Recorded
            do throws(PushError) {
                recorded = try await core.timing(.answer, of: id) { () async throws(PushError) in
                    try await record(decision, in: hand, found.row)
                }
            } catch  where error.code == .decidedOtherwise(choice.resolution) {
                return try await outcomeElsewhere(id, choice.resolution, in: hand)
            }
            await challenges.note(id, isOpen: false)
            return try await outbox.attempt(
                announcement, recorded.decided, recorded.hasArrived, in: hand
            ) {
                () async throws(PushError) -> Outbox.Attempt in
                try await outbox.exchange(
                    announcement, recorded.answer, again: recorded.hasArrived, in: hand)
            }
        }
        core.tell(
            .outcome, of: id, .outcome(outcome.name), since: start,
            isRepeated: found.row.decided != nil)
        await core.publish(outcome, on: id, in: found.hand)
        return outcome
    }

    /// A decision that is on record, its answer, and whether a copy may have reached the vendor
    /// before.
    private typealias Recorded = (
        answer: Answer, decided: LedgerRow.DecidedAnswer, hasArrived: Bool
    )

    /// Signs the answer to a decision and records both, with the counter, in one write.
    private func record(
        _ decision: Decision, in hand: DocumentInHand, _ row: LedgerRow
    ) async throws(PushError) -> Recorded {
        let (id, resolution, again) = (row.id, decision.resolution, row.decided != nil)
        let resolver = try core.resolver(of: id)
        let lease = outbox.leases.lease
        let judged = outbox.leases.look(at: row).judged
        let length = core.configuration.lease
        let use: Capabilities.GuardedPart.Uses = resolution.isDenial ? .denial : .approval
        let isGuarded = core.registry[id.enrollment.provider]?.guarded?.uses.contains(use) == true
        // Another process may change what was prepared for; nobody does so three times.
        for _ in 0..<3 {
            let signing = try await resolver.prepare(decision, of: try hand.account())
            do throws(PushError) {
                // Whatever became of the document since it was read, compare-and-set finds out.
                return try await core.change(hand) { (document, rules) throws(PushError) in
                    try document.requireHere()
                    // A guard that was chosen meanwhile counts, whatever was prepared before.
                    if isGuarded, document.isLocked { throw .locked }
                    let answer = try signing.answer(in: &document)
                    let decided = LedgerRow.DecidedAnswer(resolution, answer, lease: lease)
                    let change = try document.change(id, by: rules) { (row) throws(PushError) in
                        try row.decide(decided, again: again, length: length, judged: judged)
                    }
                    guard let change else { throw PushError(.over, "The challenge is over.") }
                    if case .deny(let reason) = resolution, reason.raisesAlarm {
                        document.bursts.raiseAlarm(at: rules.now)
                    }
                    return (answer, decided, change.value)
                }
            } catch  where error.code == .conflict {}
        }
        throw PushError(.conflict, "The credential is being changed.")
    }

    /// Another process was first with the same decision, and is sending it.
    private func outcomeElsewhere(
        _ id: Challenge.ID, _ resolution: Resolution, in hand: DocumentInHand
    ) async throws(PushError) -> Outcome {
        let row = try await core.announced(id, in: hand).row
        if case .answered(resolution, let outcome) = row.state { return outcome }
        return await outbox.later(
            id, resolution, after: core.configuration.lease,
            "Another process is sending the same decision."
        ).outcome
    }
}
