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

    /// What came of one try at sending a decision.
    enum Attempt {
        /// The vendor's final word.
        case reply(Reply)
        /// None yet: why, and whether a copy may have reached the vendor.
        case noReply(String, mayHaveArrived: Bool)
        /// None but that the vendor's list lacks it, which a second list must say as well.
        case lacked
        /// None, and trying again brings none: the user or a ``resume()`` goes on.
        case stuck(Outcome, mayHaveArrived: Bool)

        var outcome: Outcome {
            switch self {
            case .reply(let reply): reply.outcome
            case .stuck(let outcome, _): outcome
            case .noReply(let reason, _): .unknown(reason)
            case .lacked: .unknown("The vendor's list lacks it, and is asked once more.")
            }
        }
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
    ///   - given: What was read of it already.
    ///   - byUser: Whether the user has just said it again: a pause that nobody documents doesn't hold it.
    /// - Returns: The decision that stood, and what came of it; `nil` if none stands any more.
    /// - Throws: What the store throws, and what the provider does that sending again can't mend.
    func deliver(
        _ id: Challenge.ID, from given: DeliveryStart? = nil, byUser: Bool = false
    ) async throws(PushError) -> Delivered? {
        let along =
            (given == nil ? core.ledger.keysBesideCredential(of: id) : [])
            + (await servers.keysBesideCredential(of: id.enrollment))
        let known = given?.credential.withLock { $0 }
        let start = core.environment.clock.elapsed
        return try await turns.turn(
            of: id.enrollment, knowing: { known.map { [$0] } ?? [] }, along: along
        ) {
            () async throws(PushError) -> Delivered? in
            await servers.learnPause(of: id.enrollment)
            let found = if let given { given.row } else { try await core.ledger.announced(id) }
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
            let delivered = try await claimed(found, since: start)
            if let given {
                let newest = await core.environment.accounts(for: id.enrollment.provider)
                    .known(id.enrollment)
                given.credential.withLock { $0 = newest }
            }
            return delivered
        }
    }

    /// Sends a decision, in its enrollment's turn, unless another process does.
    private func claimed(
        _ found: AnnouncedRow, since start: Duration
    ) async throws(PushError) -> Delivered? {
        let id = found.row.id
        let (judged, seenRest) = await leases.look(at: found.row)
        let (claim, inHand) = try await core.ledger.claim(
            id, for: lease, length: core.configuration.lease, judged: judged, from: found.inHand)
        switch claim {
        case .settled:
            let row =
                if let row = inHand?.content { row } else {
                    try await core.ledger.announced(id).row
                }
            return try await outcomeOnRecord(in: row)
        case .leased(let resolution, let rest):
            await retries.tryAgain(.decision(id), after: seenRest ?? rest, sending(id))
            return (resolution, .unknown("Another process is sending it."))
        case .taken(let decided, let hasArrived):
            if let pause = decided.pause, let rest = pause.remainder(at: core.environment.clock.now)
            {
                // Another process was told so after the row was read.
                try await core.ledger.release(
                    id, decided, mayHaveArrived: hasArrived, pause: pause, from: inHand)
                await retries.tryAgain(.decision(id), after: rest, sending(id))
                return (decided.resolution, .unknown("The server asked this device to wait."))
            }
            let outcome = try await attempt(
                found.announcement, decided, hasArrived, from: inHand
            ) { () async throws(PushError) -> Attempt in
                try await continueDelivery(found.announcement, decided, hasArrived)
            }
            core.tell(.outcome, of: id, .outcome(outcome.name), since: start, isRepeated: true)
            await core.publish(.outcome(id, outcome))
            return (decided.resolution, outcome)
        }
    }

    /// What came of a decision that needs no sending; `nil` if none stands.
    private func outcomeOnRecord(
        in row: LedgerRow
    ) async throws(PushError) -> (resolution: Resolution, outcome: Outcome)? {
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
        _ announcement: Announcement, _ decided: LedgerRow.DecidedAnswer, _ hasArrived: Bool
    ) async throws(PushError) -> Attempt {
        let isLate = try await servers.isLate(announcement.notice)
        // What never left can't have been taken, and what is too late needn't be sent.
        if isLate, !hasArrived { return .reply(Reply(.expired)) }
        if isLate || hasArrived && decided.kept != .whole {
            let status: Challenge.Status
            do throws(PushError) {
                status = try await self.status(of: announcement, kept: decided.secret)
            } catch  where error.maySendAgain {
                return .noReply(error.reason, mayHaveArrived: hasArrived)
            }
            switch status {
            case .over(let outcome, let context): return .reply(Reply(outcome, context: context))
            case .unlisted:
                let isOver = try await core.ledger.note(
                    isListed: false, announcement.notice.id, decided)
                return isOver || isLate ? .reply(Reply(.ended)) : .lacked
            case .unknown where isLate:
                let outcome = Outcome.unknown(
                    "Its time ran out before the vendor's word was known.")
                return .reply(Reply(outcome))
            case .unknown where decided.kept == .wholeOnceOpen:
                let outcome = Outcome.unknown("The vendor can't say whether it took the answer.")
                return .stuck(outcome, mayHaveArrived: hasArrived)
            case .open where decided.lacked != nil:
                _ = try await core.ledger.note(isListed: true, announcement.notice.id, decided)
            case .unknown, .open: break
            }
        }
        guard let bytes = decided.bytes else {
            return .stuck(.verifyAgain, mayHaveArrived: hasArrived)
        }
        let kept: Kept = decided.kept == .whole ? .whole : .wholeOnceOpen
        return try await exchange(announcement, Answer(bytes, kept: kept), again: hasArrived)
    }

    /// Sends an answer once.
    func exchange(
        _ announcement: Announcement, _ answer: Answer, again: Bool
    ) async throws(PushError) -> Attempt {
        let id = announcement.notice.id
        let resolver = try core.resolver(of: id)
        let account = try await core.account(id.enrollment)
        do throws(PushError) {
            let reply = try await resolver.send(
                answer, for: announcement, of: account, again: again)
            guard again, reply.outcome.isFinalNoToOneCopy else { return .reply(reply) }
            // It says nothing of a copy that may have arrived before. What became of that one the
            // vendor may be able to say.
            let kept = answer.kept.secret(of: answer)
            switch try await status(of: announcement, kept: kept) {
            case .over(let word, let context):
                return .reply(Reply(word, context: context ?? reply.context))
            case .unlisted: return .lacked
            case .open, .unknown:
                return .reply(Reply(.refusedCopy, context: reply.context))
            }
        } catch  where error.maySendAgain {
            return .noReply(error.reason, mayHaveArrived: again || error.mayHaveArrived)
        }
    }

    private func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        let id = announcement.notice.id
        let account = try await core.account(id.enrollment)
        return try await core.resolver(of: id).status(for: announcement, of: account, kept: kept)
    }

    /// Makes one try, and records what came of it: the vendor's word, or that the next try may begin.
    ///
    /// The vendor's word is the caller's even if the store can't take it now.
    func attempt(
        _ announcement: Announcement, _ decided: LedgerRow.DecidedAnswer, _ hasArrived: Bool,
        from inHand: RecordInHand<LedgerRow>?, _ body: () async throws(PushError) -> Attempt
    ) async throws(PushError) -> Outcome {
        let notice = announcement.notice
        let (result, leased) = await leases.keeping((decided, inHand), on: notice.id) {
            await Result { () async throws(PushError) in
                try await core.timing(
                    .attempt, of: notice.id, isRepeated: hasArrived,
                    ending: { .outcome($0.outcome.name) }, body)
            }
        }
        let decided = leased.decided
        do throws(PushError) {
            switch result {
            case .success(.reply(let reply))
            where reply.outcome.mayReopen && !reply.outcome.reopens(after: hasArrived):
                // This copy was refused, but an earlier one may be taken yet.
                if decided.bytes == nil {
                    await retries.forget(.decision(notice.id))
                } else {
                    await retries.tryAgain(notice, sending(notice.id))
                }
                try await release(notice.id, leased, true, reply.context)
            case .success(.reply(let reply)):
                let said = try await core.ledger.settle(
                    notice.id, decided, reply.outcome, context: reply.context,
                    isSingleUse: try core.hasSingleUseContext(notice.id),
                    from: leased.inHand)
                await retries.forget(.decision(notice.id))
                if said.mayReopen { await challenges.note(notice.id, isOpen: true) }
                return said
            case .success(.lacked):
                await retries.tryAgain(
                    .decision(notice.id), after: LedgerRow.lackingTime, sending(notice.id))
                try await release(notice.id, leased, true)
            case .success(.stuck(_, let arrived)):
                await retries.forget(.decision(notice.id))
                try await release(notice.id, leased, arrived)
            case .success(.noReply(_, let arrived)):
                await retries.tryAgain(notice, sending(notice.id))
                try await release(notice.id, leased, arrived)
            case .failure(let error):
                if error.isPassing { await retries.tryAgain(notice, sending(notice.id)) }
                try await release(notice.id, leased, hasArrived || error.mayHaveArrived)
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

    private func release(
        _ id: Challenge.ID, _ leased: LeaseKeeper.Leased, _ mayHaveArrived: Bool,
        _ context: Secret? = nil
    ) async throws(PushError) {
        let pause = await servers.pause(of: id.enrollment, documented: true)
        try await core.ledger.release(
            id, leased.decided, mayHaveArrived: mayHaveArrived,
            pause: pause.map { LedgerRow.Pause(since: core.environment.clock.now, length: $0) },
            context: context, from: leased.inHand)
    }
}

extension Outcome {
    fileprivate static let refusedCopy = Outcome.unknown(
        "The vendor refused one copy; an earlier one may have been taken.")
}
