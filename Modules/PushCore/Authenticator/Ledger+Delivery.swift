#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What becomes of a decision, from its recording to the vendor's word.
extension Ledger {
    /// Records a decision on an open challenge, or the answer that was made again for one; and that
    /// it is being sent.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - decided: The decision, its answer, and who is about to send it.
    ///   - again: Whether the same decision stood before, and its answer had to be made again.
    ///   - length: How long another process's lease lasts.
    /// - Returns: Whether a copy may have reached the vendor before.
    /// - Throws: ``PushError``: `decidedOtherwise` if another decision stands, `over` if the
    ///   challenge is over. Nothing has been written then.
    func decide(
        _ id: Challenge.ID, _ decided: LedgerRow.Decided, again: Bool, length: Duration
    ) async throws(PushError) -> Bool {
        try await change(id) { (found) throws(PushError) in
            guard var row = found else {
                throw PushError(.notFound, "There is no such challenge.")
            }
            switch row.state {
            case .open: break
            case .decided(decided.resolution)
            where again && row.decided?.bytes == nil
                && !row.isLeased(besides: decided.lease, length: length):
                break
            case .decided(let other), .answered(let other, _):
                throw PushError(.decidedOtherwise(other), "Another decision stands.")
            case .over: throw PushError(.over, "The challenge is over.")
            }
            let hasArrived = row.decided?.mayHaveArrived ?? false
            row.decided = decided
            return (row, hasArrived)
        }
    }

    /// What came of asking for the right to send a decision.
    enum Claim {
        /// It's the caller's; and whether a copy may have reached the vendor before.
        case taken(LedgerRow.Decided, hasArrived: Bool)
        /// Another process is sending it, and is left alone for this long.
        case leased(Resolution, Duration)
        /// There is nothing to send any more.
        case settled
    }

    /// Claims a decision for sending, unless another process is sending it.
    func claim(
        _ id: Challenge.ID, for lease: LedgerRow.Lease, length: Duration
    ) async throws(PushError) -> Claim {
        try await change(id) { (found) throws(PushError) in
            guard var row = found, var decided = row.decided, row.outcome == nil else {
                return (nil, .settled)
            }
            let rest = decided.lease?.remainder(for: lease.owner, at: lease.since, length: length)
            if let rest { return (nil, .leased(decided.resolution, rest)) }
            let hasArrived = decided.mayHaveArrived
            decided.lease = lease
            decided.mayHaveArrived = true
            row.decided = decided
            return (row, .taken(decided, hasArrived: hasArrived))
        }
    }

    /// Begins a process's lease on a decision again, if it still has it.
    ///
    /// - Returns: The decision as it is now; `nil` if the lease is another's.
    func renew(
        _ id: Challenge.ID, _ judged: LedgerRow.Decided, lease: LedgerRow.Lease
    ) async throws(PushError) -> LedgerRow.Decided? {
        try await change(id) { (found) throws(PushError) in
            guard var row = found, row.outcome == nil, var decided = row.decided,
                decided.isSame(as: judged), decided.lease == judged.lease
            else { return (nil, nil) }
            decided.lease = lease
            row.decided = decided
            return (row, decided)
        }
    }

    /// Ends a try that brought no final word, so that the next can begin.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - judged: The decision that was tried.
    ///   - mayHaveArrived: Whether this try or one before may have reached the vendor.
    ///   - pause: How long the vendor wants to be left alone.
    func release(
        _ id: Challenge.ID, _ judged: LedgerRow.Decided, mayHaveArrived: Bool,
        pause: LedgerRow.Pause?
    ) async throws(PushError) {
        try await change(id) { (found) throws(PushError) in
            guard var row = found, row.outcome == nil, let decided = row.decided,
                decided.isSame(as: judged), decided.lease == judged.lease
            else { return (nil, ()) }
            row.decided?.lease = nil
            row.decided?.mayHaveArrived = mayHaveArrived
            row.decided?.pause = pause
            return (row, ())
        }
    }

    /// Records the vendor's final word on a decision, or opens the challenge again.
    ///
    /// A word on a decision that no longer stands changes nothing: meanwhile another process may
    /// have opened the challenge and recorded another one. What the vendor says replaces "unknown",
    /// which the other of two copies may have brought, but opens nothing then.
    ///
    /// - Returns: The word that stands for this decision: another process's, if it was first.
    func settle(
        _ id: Challenge.ID, _ judged: LedgerRow.Decided, _ outcome: Outcome, forgetsContext: Bool
    ) async throws(PushError) -> Outcome {
        try await change(id) { (found) throws(PushError) in
            guard var row = found, let decided = row.decided, decided.isSame(as: judged) else {
                return (nil, outcome)
            }
            if let standing = row.outcome,
                !standing.isUnknown || outcome.mayReopen || outcome.isUnknown
            {
                return (nil, standing)
            }
            if outcome.mayReopen {
                // Another process took over meanwhile: its copy is on the way, and its word counts.
                guard decided.lease == judged.lease else {
                    return (nil, .unknown("Another process is sending it."))
                }
                row.decided = nil
                row.finished = row.withdrawal.map { _ in clock.now }
                if forgetsContext, row.withdrawal != nil { row.forgetContext() }
            } else {
                row.outcome = decided.kept == .decision ? outcome.withoutCode : outcome
                row.finished = clock.now
                // After "unknown", too: nobody sends or asks again what has its last word.
                if forgetsContext { row.forgetContext() }
                row.decided = LedgerRow.Decided(
                    resolution: decided.resolution, kept: decided.kept, bytes: nil,
                    mayHaveArrived: decided.mayHaveArrived)
            }
            return (row, outcome)
        }
    }
}

extension Outcome {
    /// The same without a code that was made from what mayn't be kept.
    fileprivate var withoutCode: Outcome {
        if case .code = self { .code("") } else { self }
    }
}

extension LedgerRow {
    /// Whether another process than the holder of a lease is sending the decision.
    fileprivate func isLeased(besides lease: Lease?, length: Duration) -> Bool {
        guard let lease else { return false }
        return decided?.lease?.remainder(for: lease.owner, at: lease.since, length: length) != nil
    }
}
