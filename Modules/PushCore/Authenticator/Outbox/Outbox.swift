/// Sends decisions that are on record, until the vendor's word on each is known.
final class Outbox: Sendable {
    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let challenges: ChallengeLifecycle
    private let turns: EnrollmentTurns
    private let retries: Retries
    let leases: LeaseKeeper

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

    /// What came of a decision, and what it was.
    typealias Delivered = (resolution: Resolution, outcome: Outcome)

    /// Sends a decision that is on record, as far as what was kept of its answer allows; `nil` if
    /// none stands any more. If the user has just said it again, a pause that nobody documents
    /// doesn't hold it.
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
            if let pause = await servers.pause(of: id.enrollment, documented: byUser) {
                return await later(id, resolution, after: pause, Self.wait)
            }
            return try await claimed(found, since: start)
        }
    }

    private static let wait = "The server asked this device to wait."

    /// Sends a decision later, and not before a pause has passed.
    func later(
        _ id: Challenge.ID, _ resolution: Resolution, after pause: Duration, _ why: String
    ) async -> Delivered {
        await retries.tryAgain(.decision(id), after: pause, sending(id))
        return (resolution, .unknown(why))
    }

    /// Sends a decision, in its enrollment's turn, unless another process does.
    private func claimed(
        _ found: AnnouncedRow, since start: Duration
    ) async throws(PushError) -> Delivered? {
        let (id, hand) = (found.id, found.hand)
        let (judged, seenRest) = leases.look(at: found.row)
        let (lease, length) = (leases.lease, core.configuration.lease)
        let change = try await core.change(id, in: hand) { row, rules in
            // Another process may have been told so after the row was read.
            let pause = row.decided?.pause?.remainder(at: rules.now)
            let claim =
                pause == nil ? row.claim(for: lease, length: length, judged: judged) : .settled
            return (claim: claim, pause: pause)
        }
        guard let change else { throw core.over(id) }
        if let decided = change.row.decided, let pause = change.value.pause {
            return await later(id, decided.resolution, after: pause, Self.wait)
        }
        switch change.value.claim {
        case .settled:
            return try await outcomeOnRecord(in: change.row)
        case .leased(let resolution, let rest):
            return await later(
                id, resolution, after: seenRest ?? rest, "Another process is sending it.")
        case .taken(let decided, let hasArrived):
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
            await core.publish(outcome, on: id, in: hand)
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
    private func sending(_ id: Challenge.ID) -> Retries.Body {
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
                let isOver = try await core.change(id, in: hand) { row, rules in
                    row.lack(decided, at: rules.now)
                }
                return isOver?.value == true || isLate ? .word(.ended) : .lacked
            case .unknown where isLate:
                return .word(.lateAndUnknown)
            case .unknown where decided.kept == .wholeOnceOpen:
                return .stuck(.untold, mayHaveArrived: hasArrived)
            case .open where decided.lacked != nil:
                _ = try await core.change(id, in: hand) { row, _ in row.list() }
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
            guard again, outcome.isNoToOneCopy, !outcome.mayReopen else {
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
        return try await settled(result, decided, hasArrived, of: notice, in: hand)
    }

    /// Records what came of one try.
    private func settled(
        _ result: Result<Attempt, PushError>, _ decided: LedgerRow.DecidedAnswer,
        _ hasArrived: Bool, of notice: Notice, in hand: DocumentInHand
    ) async throws(PushError) -> Outcome {
        let (work, again) = (Retries.Work.decision(notice.id), sending(notice.id))
        do throws(PushError) {
            var (mayHaveArrived, context): (Bool, Secret?) = (true, nil)
            switch result {
            case .success(.word(let word, let noted))
            where word.mayReopen && !word.reopens(after: hasArrived):
                // This copy was refused, but an earlier one may be taken yet.
                context = noted
                if decided.bytes == nil {
                    await retries.forget(work)
                } else {
                    await retries.tryAgain(work, of: notice, again)
                }
            case .success(.word(let word, let noted)):
                // Another process's word stands, if that was first.
                let change = try await core.change(notice.id, in: hand) { row, rules in
                    row.settle(
                        decided, word, context: noted, at: rules.now,
                        isSingleUse: rules.isSingleUse)
                }
                let said = change?.value ?? word
                await retries.forget(work)
                if said.mayReopen { await challenges.note(notice.id, isOpen: true) }
                return said
            case .success(.lacked):
                await retries.tryAgain(work, after: LedgerRow.lackingTime, again)
            case .success(.stuck(_, let arrived)):
                mayHaveArrived = arrived
                await retries.forget(work)
            case .success(.noReply(_, let arrived)):
                mayHaveArrived = arrived
                await retries.tryAgain(work, of: notice, again)
            case .failure(let error):
                mayHaveArrived = hasArrived || error.mayHaveArrived
                if error.isPassing { await retries.tryAgain(work, of: notice, again) }
            }
            let rest = await servers.pause(of: notice.id.enrollment, documented: true)
            _ = try await core.change(notice.id, in: hand) { row, rules in
                row.release(
                    decided, mayHaveArrived: mayHaveArrived,
                    pause: rest.map { LedgerRow.Pause(since: rules.now, length: $0) },
                    context: context)
            }
        } catch {
            core.report(
                error, "What a vendor said couldn't be kept.", by: notice.id.enrollment.provider)
            if error.isPassing { await retries.tryAgain(work, of: notice, again) }
        }
        let outcome = try result.get().outcome
        let isRefusedCopy = outcome.mayReopen && !outcome.reopens(after: hasArrived)
        // The user, who makes the next one, must hear why this one was refused.
        return isRefusedCopy && decided.bytes != nil ? .refusedCopy : outcome
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
