extension PushAuthenticator {
    /// Opens a challenge: what exactly is asked. It may fetch from the vendor, and may claim the
    /// challenge for this device, so call it when the user opens it.
    ///
    /// - Throws: ``PushError`` with the code `over` if the challenge is over, or if it was answered and
    ///   its provider forgets what opens it (``Capabilities/forgetsContext``). Else one that was
    ///   decided can be opened: the ledger judges what is decided then.
    public func challenge(_ id: Challenge.ID) async throws(PushError) -> Challenge {
        let provider = try provider(id.enrollment.provider)
        return try await turn(of: id.enrollment) { () async throws(PushError) -> Challenge in
            let found = try await ledger.announced(id)
            switch found.row.state {
            case .over: throw over(id)
            case .answered: if provider.capabilities.contains(.forgetsContext) { throw over(id) }
            case .open, .decided: break
            }
            let made: Opened
            do throws(PushError) {
                made = try await provider.resolver.challenge(for: found.announcement)
            } catch {
                await closeWhatEnds(id, error)
                throw error
            }
            let now = try await noting(made.context, in: found)
            if let now, now.row.state == .open { opened[id] = now }
            return made.challenge
        }
    }

    /// Closes what a provider's error says is over: the challenge, or, if the vendor no longer knows
    /// the enrollment, all that is open of it.
    ///
    /// What can't be closed is reported: the vendor's own error is the one to throw.
    func closeWhatEnds(_ id: Challenge.ID, _ error: PushError) async {
        if let reason = error.ends {
            await orReport(id.enrollment) { () async throws(PushError) in
                _ = try await close(Withdrawal(id, reason))
            }
        } else if error.code == .unknownEnrollment {
            await closeAll(of: id.enrollment)
        }
    }

    /// Closes all that is open of an enrollment that its vendor no longer knows; what can't be closed
    /// is reported.
    func closeAll(of enrollment: Enrollment.ID) async {
        await orReport(enrollment) { () async throws(PushError) in
            for row in try await ledgerSurvey(of: enrollment).rows where row.state == .open {
                _ = try await close(Withdrawal(row.id, .cancelled))
            }
        }
    }

    private func orReport(
        _ enrollment: Enrollment.ID, _ body: () async throws(PushError) -> Void
    ) async {
        do throws(PushError) {
            try await body()
        } catch {
            report(error.of(enrollment.provider), "What a vendor ended couldn't be closed.")
        }
    }

    /// Answers a challenge: verifies the user where the challenge asks for it, records the decision,
    /// and sends it.
    ///
    /// Cancelling the caller's task stops it while the user is being verified, and no longer once
    /// the decision is on its way into the ledger. The same answer
    /// given twice is sent once; both callers get its outcome.
    ///
    /// - Parameters:
    ///   - challenge: What the user saw.
    ///   - resolution: What the user chose.
    ///   - extras: What the vendor's plugin takes beside it.
    ///   - style: How the app wants the user verified.
    /// - Returns: What the vendor said; `unknown` if the reply was lost, and then it is tried again
    ///   in the background, and by ``resume()`` after a restart.
    /// - Throws: ``PushError``: `decidedOtherwise` if another decision stands, `over` if the
    ///   challenge is over, `invalidResolution` if the prompt asks for something else.
    public func resolve(
        _ challenge: Challenge, with resolution: Resolution, extras: (any Sendable)? = nil,
        style: VerificationStyle = VerificationStyle()
    ) async throws(PushError) -> Outcome {
        try challenge.prompt.check(resolution)
        return try await decide(
            challenge.id,
            Choice(resolution: resolution, challenge: challenge, extras: extras, style: style))
    }

    /// Says no, from a notification's button as well: the challenge needn't have been opened.
    ///
    /// - Throws: ``PushError``, as ``resolve(_:with:extras:style:)``.
    public func deny(
        _ id: Challenge.ID, _ reason: DenyReason = .unexpected
    ) async throws(PushError) -> Outcome {
        try await decide(
            id,
            Choice(
                resolution: .deny(reason), challenge: nil, extras: nil, style: VerificationStyle()))
    }
}

extension PushAuthenticator {
    /// What the user chose, with all that came along.
    struct Choice: Sendable {
        let resolution: Resolution
        let challenge: Challenge?
        let extras: (any Sendable)?
        let style: VerificationStyle
    }

    func over(_ id: Challenge.ID) -> PushError {
        PushError(.over, "The challenge is over.", provider: id.enrollment.provider)
    }

    private func decide(
        _ id: Challenge.ID, _ choice: Choice
    ) async throws(PushError) -> Outcome {
        while let winner = underway[id] {
            let result = await winner.task.value
            if winner.resolution == choice.resolution, !winner.wasGivenUp(result) {
                return try result.get()
            }
            if case .success(let outcome) = result, !outcome.mayReopen {
                throw standing(winner.resolution, id)
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
            if case .failure(let error) = result { reportRefusal(error.of(id.enrollment.provider)) }
            underway[id] = nil
            return result
        }
        underway[id] = DecisionUnderway(resolution: choice.resolution, task: task)
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
        default: report(error, "An answer was refused.")
        }
    }

    private func standing(_ resolution: Resolution, _ id: Challenge.ID) -> PushError {
        PushError(
            .decidedOtherwise(resolution), "Another decision stands.",
            provider: id.enrollment.provider)
    }

    private func settle(_ id: Challenge.ID, _ choice: Choice) async throws(PushError) -> Outcome {
        var found: AnnouncedRow
        let isToMakeAgain: Bool
        switch try await whatStands(id, choice) {
        case .settled(let outcome): return outcome
        case .open(let row): (found, isToMakeAgain) = (row, false)
        case .toMakeAgain(let row): (found, isToMakeAgain) = (row, true)
        }
        try await refuseLate(found.announcement.notice)
        var evidence: [Evidence] = []
        if let challenge = choice.challenge, !choice.resolution.isDenial,
            !challenge.verification.isEmpty
        {
            evidence = try await verify(
                .answer(challenge, choice.resolution), challenge.verification, choice.style)
            // It may have been cancelled while the user typed a PIN.
            found = try await ledger.announced(id)
            if case .over = found.row.state { throw over(id) }
        }
        guard !Task.isCancelled else {
            throw PushError(
                .cancelled, "The caller gave up before anything was decided.",
                provider: id.enrollment.provider)
        }
        // The caller may give up until here. A decision that is half sent must go on.
        let sending = Task { [found, evidence] in
            await Result { () async throws(PushError) -> Outcome in
                try await send(found, choice, evidence, again: isToMakeAgain)
            }
        }
        return try await sending.value.get()
    }

    /// What stands before the user decides.
    private enum Standing {
        /// Nothing: the user may decide.
        case open(AnnouncedRow)
        /// The same decision, whose answer only the user can make again.
        case toMakeAgain(AnnouncedRow)
        /// The same decision, with this outcome.
        case settled(Outcome)
    }

    private func whatStands(
        _ id: Challenge.ID, _ choice: Choice
    ) async throws(PushError) -> Standing {
        // As it was when the user opened it: if that's old, recording the decision finds out.
        let inHand = opened.remove(id)
        let found = if let inHand { inHand } else { try await ledger.announced(id) }
        switch found.row.state {
        case .open:
            return .open(found)
        case .over:
            throw over(id)
        case .answered(choice.resolution, let outcome):
            return .settled(outcome)
        case .answered(let other, _):
            throw standing(other, id)
        case .decided:
            // A caller that gives up stops nothing that is half sent.
            let sending = Task {
                await Result { () async throws(PushError) in try await deliver(id) }
            }
            guard let (decided, outcome) = try await sending.value.get() else {
                // Someone else sent it, and the vendor's word has opened the challenge again.
                return try await whatStands(id, choice)
            }
            if outcome.mayReopen {
                let now = try await ledger.announced(id)
                if now.row.state == .open {
                    return decided == choice.resolution ? .settled(outcome) : .open(now)
                }
            }
            guard decided == choice.resolution else { throw standing(decided, id) }
            // A denial takes no evidence, so it can be made again unopened.
            let canMakeAgain = choice.challenge != nil || choice.resolution.isDenial
            guard outcome == .verifyAgain, canMakeAgain else { return .settled(outcome) }
            return .toMakeAgain(try await ledger.announced(id))
        }
    }

    /// Refuses an answer whose time is certainly over, unless the vendor judges that itself.
    private func refuseLate(_ notice: Notice) async throws(PushError) {
        guard try await isLate(notice) else { return }
        _ = try await close(Withdrawal(notice.id, .expired))
        throw PushError(
            .over, "The challenge has expired by the server's clock.",
            provider: notice.id.enrollment.provider)
    }

    private func send(
        _ found: AnnouncedRow, _ choice: Choice, _ evidence: [Evidence], again: Bool
    ) async throws(PushError) -> Outcome {
        let (announcement, id) = (found.announcement, found.row.id)
        let provider = try provider(id.enrollment.provider)
        let outcome = try await turn(of: id.enrollment) { () async throws(PushError) -> Outcome in
            let answer = try await provider.resolver.prepare(
                Decision(
                    announcement, choice.resolution, challenge: choice.challenge,
                    evidence: evidence,
                    isMadeAgain: again && found.row.decided?.mayHaveArrived == true,
                    extras: choice.extras))
            let decided = LedgerRow.Decided(choice.resolution, answer, lease: lease)
            let hasArrived: Bool
            let inHand: RecordInHand<LedgerRow>?
            do throws(PushError) {
                // Whatever became of the row since it was read, compare-and-set finds out.
                (hasArrived, inHand) = try await ledger.decide(
                    id, decided, again: again, length: policies.lease, from: found.inHand)
            } catch  where error.code == .decidedOtherwise(choice.resolution) {
                return try await outcomeElsewhere(id, choice.resolution)
            }
            openChallenges.remove(id)
            if choice.resolution == .deny(.fraud) { await alarmBrake(id.enrollment) }
            return try await attempt(announcement, decided, hasArrived, from: inHand) {
                () async throws(PushError) -> Attempt in
                try await exchange(announcement, answer, again: hasArrived)
            }
        }
        publish(.outcome(id, outcome))
        return outcome
    }

    /// Another process was first with the same decision, and is sending it.
    private func outcomeElsewhere(
        _ id: Challenge.ID, _ resolution: Resolution
    ) async throws(PushError) -> Outcome {
        let row = try await ledger.announced(id).row
        if case .answered(resolution, let outcome) = row.state { return outcome }
        tryAgain(.decision(id), after: policies.lease)
        return .unknown("Another process is sending the same decision.")
    }
}
