/// Sends decisions that are on record, until the vendor's word on each is known.
final class Outbox: Sendable {
    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let challenges: ChallengeLifecycle
    private let turns: EnrollmentTurns
    private let retries: Retries
    private let leases: LeaseKeeper

    init(
        _ core: AuthenticatorCore, _ servers: KnownServers, _ challenges: ChallengeLifecycle,
        _ turns: EnrollmentTurns, _ retries: Retries
    ) {
        self.core = core
        self.servers = servers
        self.challenges = challenges
        self.turns = turns
        self.retries = retries
        leases = LeaseKeeper(core)
    }

    /// This process's lease on a decision, from now on.
    var lease: LedgerRow.Lease { leases.lease }

    /// How another process's lease on a decision is judged.
    func judgment(of row: LedgerRow) async -> LedgerRow.LeaseJudgment {
        await leases.look(at: row).judged
    }

    /// What came of a decision, and what it was.
    typealias Delivered = (resolution: Resolution, outcome: Outcome)

    /// Sends a decision that is on record, as far as what was kept of its answer allows.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - hand: Its enrollment's document, if that was read already.
    ///   - byUser: Whether the user has just said it again: a pause that nobody documents doesn't
    ///     hold it.
    /// - Returns: The decision that stood, and what came of it; `nil` if none stands any more.
    /// - Throws: What the store throws, and what the provider does that sending again can't mend.
    func deliver(
        _ id: Challenge.ID, from hand: DocumentInHand? = nil, byUser: Bool = false
    ) async throws(PushError) -> Delivered? {
        let start = core.environment.clock.elapsed
        return try await turns.turn(of: id.enrollment, from: { hand }) {
            (turn) async throws(PushError) -> Delivered? in
            let found = try await core.announced(id, in: try await turn.hand())
            guard case .decided(let resolution) = found.row.state else {
                return try await outcomeOnRecord(in: found.row)
            }
            let own = found.row.decided?.pause?.remainder(at: core.environment.clock.now)
            let rest = await servers.pause(of: id.enrollment, documented: byUser)
            let pause = max(own ?? .zero, rest ?? .zero)
            guard pause == .zero else {
                await retries.tryAgain(.decision(id), after: pause, sending(id))
                return (resolution, .unknown("The server asked this device to wait."))
            }
            return try await claimed(found, since: start)
        }
    }

    /// Sends a decision, in its enrollment's turn, unless another process does.
    private func claimed(
        _ found: AnnouncedRow, since start: Duration
    ) async throws(PushError) -> Delivered? {
        let (id, hand) = (found.id, found.hand)
        let (judged, seenRest) = await leases.look(at: found.row)
        let (lease, length) = (lease, core.configuration.lease)
        let change = try await core.change(id, in: hand) { row in
            row.claim(for: lease, length: length, judged: judged)
        }
        guard let change else { throw core.over(id) }
        switch change.value {
        case .settled:
            return try await outcomeOnRecord(in: change.row)
        case .leased(let resolution, let rest):
            await retries.tryAgain(.decision(id), after: seenRest ?? rest, sending(id))
            return (resolution, .unknown("Another process is sending it."))
        case .taken(let decided, let hasArrived):
            if let pause = decided.pause, let rest = pause.remainder(at: core.environment.clock.now)
            {
                // Another process was told so after the row was read.
                _ = try await core.change(id, in: hand) { row in
                    row.release(decided, mayHaveArrived: hasArrived, pause: pause)
                }
                await retries.tryAgain(.decision(id), after: rest, sending(id))
                return (decided.resolution, .unknown("The server asked this device to wait."))
            }
            let outcome = try await attempt(found.announcement, decided, hasArrived, in: hand) {
                () async throws(PushError) -> Attempt in
                do throws(PushError) {
                    return try await continueDelivery(
                        found.announcement, decided, hasArrived, in: hand)
                } catch  where error.code == .locked {
                    // What only the user opens waits for the user.
                    return .stuck(.verifyAgain, mayHaveArrived: hasArrived)
                }
            }
            core.tell(.outcome, of: id, .outcome(outcome.name), since: start, isRepeated: true)
            await core.publish(.outcome(id, outcome))
            return (decided.resolution, outcome)
        }
    }

    /// What came of a decision that needs no sending; `nil` if none stands.
    private func outcomeOnRecord(in row: LedgerRow) async throws(PushError) -> Delivered? {
        await retries.forget(.decision(row.id))
        switch row.state {
        case .answered(let resolution, let outcome): return (resolution, outcome)
        case .over: throw core.over(row.id)
        case .open, .decided: return nil
        }
    }

    /// How a decision is tried again.
    func sending(_ id: Challenge.ID) -> Retries.Body {
        { [weak self] () async throws(PushError) in _ = try await self?.deliver(id) }
    }

    private func continueDelivery(
        _ announcement: Announcement, _ decided: LedgerRow.DecidedAnswer, _ hasArrived: Bool,
        in hand: DocumentInHand
    ) async throws(PushError) -> Attempt {
        let id = announcement.notice.id
        var announcement = announcement
        let isLate = try await servers.isLate(announcement.notice)
        // What never left can't have been taken, and what is too late needn't be sent.
        if isLate, !hasArrived { return .word(.expired) }
        if isLate || hasArrived && decided.kept != .whole {
            let status: Challenge.Status
            do throws(PushError) {
                status = try await self.status(of: &announcement, kept: decided.secret, in: hand)
            } catch  where error.maySendAgain {
                return .noReply(error.reason, mayHaveArrived: hasArrived)
            } catch  where error.code == .locked && isLate {
                return .word(.lateAndUnknown)
            }
            switch status {
            case .over(let outcome): return .word(outcome, announcement.renewed)
            case .unlisted:
                let now = core.environment.clock.now
                let isOver = try await core.change(id, in: hand) { row in
                    row.lack(decided, at: now)
                }
                return isOver?.value == true || isLate ? .word(.ended) : .lacked
            case .unknown where isLate:
                return .word(.lateAndUnknown)
            case .unknown where decided.kept == .wholeOnceOpen:
                return .stuck(.untold, mayHaveArrived: hasArrived)
            case .open where decided.lacked != nil:
                _ = try await core.change(id, in: hand) { row in row.list() }
            case .unknown, .open: break
            }
        }
        guard let bytes = decided.bytes else {
            return .stuck(.verifyAgain, mayHaveArrived: hasArrived)
        }
        let kept: Answer.Kept = decided.kept == .whole ? .whole : .wholeOnceOpen
        return try await exchange(
            announcement, Answer(bytes, kept: kept), again: hasArrived, in: hand)
    }

    /// Sends an answer once.
    func exchange(
        _ announcement: Announcement, _ answer: Answer, again: Bool, in hand: DocumentInHand
    ) async throws(PushError) -> Attempt {
        let resolver = try core.resolver(of: announcement.notice.id)
        let account = try hand.account()
        var announcement = announcement
        do throws(PushError) {
            let outcome = try await resolver.send(
                answer, for: &announcement, of: account, again: again)
            guard again, outcome.isFinalNoToOneCopy else {
                return .word(outcome, announcement.renewed)
            }
            // It says nothing of a copy that may have arrived before. What became of that one the
            // vendor may be able to say.
            let kept = answer.kept.secret(of: answer)
            switch try await status(of: &announcement, kept: kept, in: hand) {
            case .over(let word): return .word(word, announcement.renewed)
            case .unlisted: return .lacked
            case .open, .unknown: return .word(.refusedCopy, announcement.renewed)
            }
        } catch  where error.maySendAgain {
            return .noReply(error.reason, mayHaveArrived: again || error.mayHaveArrived)
        }
    }

    private func status(
        of announcement: inout Announcement, kept: Secret?, in hand: DocumentInHand
    ) async throws(PushError) -> Challenge.Status {
        try await core.resolver(of: announcement.notice.id).status(
            for: &announcement, of: try hand.account(), kept: kept)
    }

    /// Makes one try, and records what came of it: the vendor's word, or that the next try may
    /// begin.
    ///
    /// The vendor's word is the caller's even if the store can't take it now: it is true, and the
    /// row still says that it must be asked for.
    func attempt(
        _ announcement: Announcement, _ decided: LedgerRow.DecidedAnswer, _ hasArrived: Bool,
        in hand: DocumentInHand, _ body: () async throws(PushError) -> Attempt
    ) async throws(PushError) -> Outcome {
        let notice = announcement.notice
        let (result, decided) = await leases.keeping(decided, on: notice.id, in: hand) {
            await Result { () async throws(PushError) in
                try await core.timing(
                    .attempt, of: notice.id, isRepeated: hasArrived,
                    ending: { .outcome($0.outcome.name) }, body)
            }
        }
        do throws(PushError) {
            switch result {
            case .success(.word(let word, let context))
            where word.mayReopen && !word.reopens(after: hasArrived):
                // This copy was refused, but an earlier one may be taken yet.
                if decided.bytes == nil {
                    await retries.forget(.decision(notice.id))
                } else {
                    await retries.tryAgain(notice, sending(notice.id))
                }
                try await release(notice.id, decided, true, context, in: hand)
            case .success(.word(let word, let context)):
                let said = try await settle(notice.id, decided, word, context, in: hand)
                await retries.forget(.decision(notice.id))
                if said.mayReopen { await challenges.note(notice.id, isOpen: true) }
                return said
            case .success(.lacked):
                await retries.tryAgain(
                    .decision(notice.id), after: LedgerRow.lackingTime, sending(notice.id))
                try await release(notice.id, decided, true, in: hand)
            case .success(.stuck(_, let arrived)):
                await retries.forget(.decision(notice.id))
                try await release(notice.id, decided, arrived, in: hand)
            case .success(.noReply(_, let arrived)):
                await retries.tryAgain(notice, sending(notice.id))
                try await release(notice.id, decided, arrived, in: hand)
            case .failure(let error):
                if error.isPassing { await retries.tryAgain(notice, sending(notice.id)) }
                try await release(
                    notice.id, decided, hasArrived || error.mayHaveArrived, in: hand)
            }
        } catch {
            await core.report(
                error.attributed(to: notice.id.enrollment.provider),
                "What a vendor said couldn't be kept.")
            if error.isPassing { await retries.tryAgain(notice, sending(notice.id)) }
        }
        let outcome = try result.get().outcome
        let isRefusedCopy = outcome.mayReopen && !outcome.reopens(after: hasArrived)
        // The user, who makes the next one, must hear why this one was refused.
        guard isRefusedCopy, decided.bytes != nil else { return outcome }
        return .refusedCopy
    }

    /// Records the vendor's word.
    ///
    /// - Returns: The word that stands for this decision: another process's, if it was first.
    private func settle(
        _ id: Challenge.ID, _ decided: LedgerRow.DecidedAnswer, _ word: Outcome,
        _ context: Secret?, in hand: DocumentInHand
    ) async throws(PushError) -> Outcome {
        try await core.change(hand) { (document, rules) throws(PushError) in
            let change = try document.change(id, by: rules) { row in
                row.settle(
                    decided, word, context: context, at: rules.now,
                    isSingleUse: rules.isSingleUse)
            }
            return change?.value ?? word
        }
    }

    private func release(
        _ id: Challenge.ID, _ decided: LedgerRow.DecidedAnswer, _ mayHaveArrived: Bool,
        _ context: Secret? = nil, in hand: DocumentInHand
    ) async throws(PushError) {
        let pause = await servers.pause(of: id.enrollment, documented: true)
            .map { LedgerRow.Pause(since: core.environment.clock.now, length: $0) }
        _ = try await core.change(id, in: hand) { row in
            row.release(decided, mayHaveArrived: mayHaveArrived, pause: pause, context: context)
        }
    }
}

extension Outcome {
    fileprivate static let refusedCopy = Outcome.unknown(
        "The vendor refused one copy; an earlier one may have been taken.")
    fileprivate static let lateAndUnknown = Outcome.unknown(
        "Its time ran out before the vendor's word was known.")
    fileprivate static let untold = Outcome.unknown(
        "The vendor can't say whether it took the answer.")
}
