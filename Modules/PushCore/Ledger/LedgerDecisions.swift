/// What becomes of a decision, from its recording to the vendor's word: each function loads the row,
/// runs the row's function of the same name, and writes.
extension Ledger {
    /// Records a decision (``LedgerRow/decide(_:again:length:judged:)``).
    ///
    /// - Returns: Whether a copy may have reached the vendor before.
    func decide(
        _ id: Challenge.ID, _ decided: LedgerRow.DecidedAnswer, again: Bool, length: Duration,
        judged: LedgerRow.LeaseJudgment = .byClock, from inHand: RecordInHand<LedgerRow>? = nil,
        along: IndexedRows.Along = { _ in [] }
    ) async throws(PushError) -> (hasArrived: Bool, inHand: RecordInHand<LedgerRow>?) {
        let (value, inHand) = try await change(id, from: inHand, along: along) {
            (row) throws(PushError) in
            try row.decide(decided, again: again, length: length, judged: judged)
        }
        return (value, inHand)
    }

    /// Claims a decision for sending (``LedgerRow/claim(for:length:judged:)``).
    func claim(
        _ id: Challenge.ID, for lease: LedgerRow.Lease, length: Duration,
        judged: LedgerRow.LeaseJudgment = .byClock,
        from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) -> (claim: LedgerRow.Claim, inHand: RecordInHand<LedgerRow>?) {
        let (value, inHand) = try await change(id, from: inHand) { row in
            row.claim(for: lease, length: length, judged: judged)
        }
        return (value, inHand)
    }

    /// Begins a lease again (``LedgerRow/renew(_:lease:)``).
    func renew(
        _ id: Challenge.ID, _ judged: LedgerRow.DecidedAnswer, lease: LedgerRow.Lease,
        from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) -> (
        decided: LedgerRow.DecidedAnswer?, inHand: RecordInHand<LedgerRow>?
    ) {
        let (value, inHand) = try await change(id, from: inHand) { row in
            row.renew(judged, lease: lease)
        }
        return (value, inHand)
    }

    /// Remembers that the vendor's list has a challenge, or lacks one whose decision is being sent
    /// (``LedgerRow/lack(_:at:)``).
    ///
    /// - Returns: Whether a list before lacked it, too.
    func note(
        isListed: Bool, _ id: Challenge.ID, _ judged: LedgerRow.DecidedAnswer
    ) async throws(PushError) -> Bool {
        let now = clock.now
        return try await change(id) { row in
            guard isListed else { return row.lack(judged, at: now) }
            row.list()
            return false
        }.value
    }

    /// Ends a try that brought no final word (``LedgerRow/release(_:mayHaveArrived:pause:context:)``).
    func release(
        _ id: Challenge.ID, _ judged: LedgerRow.DecidedAnswer, mayHaveArrived: Bool,
        pause: LedgerRow.Pause?, context: Secret? = nil, from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) {
        _ = try await change(id, from: inHand) { row in
            row.release(judged, mayHaveArrived: mayHaveArrived, pause: pause, context: context)
        }
    }

    /// Records the vendor's final word (``LedgerRow/settle(_:_:context:at:isSingleUse:)``).
    ///
    /// - Returns: The word that stands for this decision: another process's, if it was first.
    func settle(
        _ id: Challenge.ID, _ judged: LedgerRow.DecidedAnswer, _ word: Outcome,
        context: Secret? = nil,
        isSingleUse: Bool, from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) -> Outcome {
        let now = clock.now
        return try await change(id, from: inHand) { row in
            row.settle(
                judged, word, context: context, at: now, isSingleUse: isSingleUse)
        }.value
    }
}
