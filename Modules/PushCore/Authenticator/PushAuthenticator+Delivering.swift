extension PushAuthenticator {
    /// What came of one try at sending a decision.
    enum Attempt {
        /// The vendor's final word.
        case word(Outcome)
        /// None yet: why, and whether a copy may have reached the vendor.
        case noWord(String, mayHaveArrived: Bool)
        /// None, and trying again brings none: the user or a ``resume()`` goes on.
        case stuck(Outcome, mayHaveArrived: Bool)

        var outcome: Outcome {
            switch self {
            case .word(let outcome), .stuck(let outcome, _): outcome
            case .noWord(let reason, _): .unknown(reason)
            }
        }

        /// The same, as far as it is true of every copy of the answer: a final no to this one says
        /// nothing of one that may have arrived before, unless it's the vendor's word on all.
        fileprivate func weighed(after hasArrived: Bool) -> Attempt {
            guard hasArrived, case .word(.notTaken(let refusal)) = self, !refusal.mayRetry,
                !refusal.noCopyTaken
            else { return self }
            return .word(.refusedCopy)
        }
    }

    /// This process's lease on a decision, from now on.
    var lease: LedgerRow.Lease { LedgerRow.Lease(owner: instance, since: environment.clock.now) }

    /// Sends a decision that is on record, as far as what was kept of its answer allows.
    ///
    /// - Returns: The decision that stood, and what came of it; `nil` if none stands any more.
    func deliver(
        _ id: Challenge.ID
    ) async throws(PushError) -> (resolution: Resolution, outcome: Outcome)? {
        try await turn(of: id.enrollment) {
            () async throws(PushError) -> (resolution: Resolution, outcome: Outcome)? in
            let (row, announcement) = try await ledger.announced(id)
            guard case .decided(let resolution) = row.state else { return try standing(in: row) }
            if let pause = row.decided?.pause?.remainder(at: environment.clock.now) {
                tryAgain(.decision(id), after: pause)
                return (resolution, .unknown("The server asked not to be asked yet."))
            }
            switch try await ledger.claim(id, for: lease, length: policies.lease) {
            case .settled:
                return try standing(in: try await ledger.announced(id).row)
            case .leased(let resolution, let rest):
                tryAgain(.decision(id), after: rest)
                return (resolution, .unknown("Another process is sending it."))
            case .taken(let decided, let hasArrived):
                let outcome = try await attempt(announcement, decided, hasArrived) {
                    () async throws(PushError) -> Attempt in
                    try await goOn(announcement, decided, hasArrived)
                }
                publish(.outcome(id, outcome))
                return (decided.resolution, outcome)
            }
        }
    }

    /// What came of a decision that needs no sending; `nil` if none stands.
    private func standing(
        in row: LedgerRow
    ) throws(PushError) -> (resolution: Resolution, outcome: Outcome)? {
        forget(.decision(row.id))
        switch row.state {
        case .answered(let resolution, let outcome): return (resolution, outcome)
        case .over: throw over(row.id)
        case .open, .decided: return nil
        }
    }

    private func goOn(
        _ announcement: Announcement, _ decided: LedgerRow.Decided, _ hasArrived: Bool
    ) async throws(PushError) -> Attempt {
        let resolver = try provider(announcement.notice.id.enrollment.provider).resolver
        let isLate = try await isLate(announcement.notice)
        // What never left can't have been taken, and what is too late needn't be sent.
        if isLate, !hasArrived { return .word(.expired) }
        if isLate || hasArrived && decided.kept != .bytes {
            let status: Challenge.Status
            do throws(PushError) {
                status = try await resolver.status(of: announcement)
            } catch  where error.maySendAgain {
                return .noWord(error.reason, mayHaveArrived: hasArrived)
            }
            switch status {
            case .over(let outcome): return .word(outcome)
            case .unsaid where isLate:
                return .word(.unknown("Its time ran out before the vendor's word on it came."))
            case .unsaid where decided.kept == .bytesAfterStatus:
                let outcome = Outcome.unknown("The vendor can't say whether it took the answer.")
                return .stuck(outcome, mayHaveArrived: hasArrived)
            case .unsaid, .open: break
            }
        }
        guard let answer = decided.answer else {
            return .stuck(.verifyAgain, mayHaveArrived: hasArrived)
        }
        return try await exchange(announcement, answer, again: hasArrived)
    }

    /// Sends an answer once.
    func exchange(
        _ announcement: Announcement, _ answer: Answer, again: Bool
    ) async throws(PushError) -> Attempt {
        let resolver = try provider(announcement.notice.id.enrollment.provider).resolver
        do throws(PushError) {
            return .word(try await resolver.send(answer, for: announcement, again: again))
        } catch  where error.maySendAgain {
            return .noWord(error.reason, mayHaveArrived: again || error.mayHaveArrived)
        }
    }

    /// Makes one try, and records what came of it: the vendor's word, or that the next try may begin.
    ///
    /// The vendor's word is the caller's even if the store can't take it now: it is true, and the
    /// row still says that it must be asked for.
    func attempt(
        _ announcement: Announcement, _ decided: LedgerRow.Decided, _ hasArrived: Bool,
        _ body: () async throws(PushError) -> Attempt
    ) async throws(PushError) -> Outcome {
        let notice = announcement.notice
        let (result, decided) = await keepingLease(on: notice.id, decided) {
            await Result { () async throws(PushError) in
                try await body().weighed(after: hasArrived)
            }
        }
        do throws(PushError) {
            switch result {
            case .success(.word(let outcome))
            where outcome.mayReopen && !outcome.reopens(after: hasArrived):
                // This copy was refused, but an earlier one may be taken yet.
                if decided.kept == .decision {
                    forget(.decision(notice.id))
                } else {
                    await tryAgain(notice)
                }
                try await release(notice.id, decided, true)
            case .success(.word(let outcome)):
                let standing = try await ledger.settle(
                    notice.id, decided, outcome, forgetsContext: try forgetsContext(notice.id))
                forget(.decision(notice.id))
                return standing
            case .success(.stuck(_, let arrived)):
                forget(.decision(notice.id))
                try await release(notice.id, decided, arrived)
            case .success(.noWord(_, let arrived)):
                await tryAgain(notice)
                try await release(notice.id, decided, arrived)
            case .failure(let error):
                if error.isPassing { await tryAgain(notice) }
                try await release(notice.id, decided, hasArrived || error.mayHaveArrived)
            }
        } catch {
            report(error.of(notice.id.enrollment.provider), "What a vendor said couldn't be kept.")
            if error.isPassing { await tryAgain(notice) }
        }
        let outcome = try result.get().outcome
        let isRefusedCopy = outcome.mayReopen && !outcome.reopens(after: hasArrived)
        // The user, who makes the next one, must hear why this one was refused.
        guard isRefusedCopy, decided.kept != .decision else { return outcome }
        return .refusedCopy
    }

    private func release(
        _ id: Challenge.ID, _ decided: LedgerRow.Decided, _ mayHaveArrived: Bool
    ) async throws(PushError) {
        let pause = await pause(of: id.enrollment)
        try await ledger.release(
            id, decided, mayHaveArrived: mayHaveArrived,
            pause: pause.map { LedgerRow.Pause(since: environment.clock.now, length: $0) })
    }
}

extension Outcome {
    fileprivate static let refusedCopy = Outcome.unknown(
        "The vendor refused one copy; an earlier one may have been taken.")
}

extension PushError {
    /// Whether an answer that failed this way is sent again later.
    var maySendAgain: Bool {
        switch code {
        case .unreachable, .interrupted, .cancelled, .server(status: 500...),
            .server(status: 429):
            true
        default: false
        }
    }

    /// Whether it says that this device can't right now, such as a store that is locked.
    var isPassing: Bool { code == .storage || code == .conflict }

    /// Whether what failed this way may have reached the server all the same.
    var mayHaveArrived: Bool {
        switch code {
        case .unreachable, .cancelled, .untrustedServer, .pinMismatch, .insecureRequest: false
        // Nothing was sent, or the vendor doesn't take it.
        case .blocked, .unknownEnrollment: false
        default: true
        }
    }
}
