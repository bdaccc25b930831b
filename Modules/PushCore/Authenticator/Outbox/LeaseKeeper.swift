#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A lease lasts as long as what it was taken for, however many exchanges that takes.
struct LeaseKeeper: Sendable {
    /// A lease of another process, and since when this one has seen it.
    private typealias Sight = (lease: LedgerRow.Lease, since: Duration)

    private let core: AuthenticatorCore
    private let sights = Locked(Cache<Challenge.ID, Sight>())

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// Looks at the lease on a decision.
    ///
    /// On a store that is ``CredentialStore/isShared`` another process's clock may differ from this
    /// one's. So its lease is over once it has been seen unchanged for its length; and, as a
    /// short-lived process must go on as well, if it began so long ago by the wall clock that no
    /// difference between two clocks explains it.
    ///
    /// - Returns: How it is judged, and what is left of it as far as only this process can tell.
    func look(at row: LedgerRow) -> (judged: LedgerRow.LeaseJudgment, rest: Duration?) {
        guard core.environment.store.isShared else { return (.byClock, nil) }
        guard let lease = row.decided?.lease, lease.owner != core.instance else {
            sights.withLock { $0[row.id] = nil }
            return (.bySight(ended: nil), nil)
        }
        let (clock, length) = (core.environment.clock, core.configuration.lease)
        let now = clock.elapsed
        let since = sights.withLock { sights in
            if let known = sights[row.id], known.lease == lease { return known.since }
            sights[row.id] = (lease, now)
            return now
        }
        let rest = length - (now - since)
        let age = clock.now.timeIntervalSince(lease.since)
        guard rest > .zero, age <= (length + PushConfiguration.leaseTolerance).inSeconds else {
            return (.bySight(ended: lease), nil)
        }
        return (.bySight(ended: nil), rest)
    }

    /// This process's lease on a decision, from now on.
    var lease: LedgerRow.Lease {
        LedgerRow.Lease(owner: core.instance, since: core.environment.clock.now)
    }

    /// Runs what sends a decision, and renews the lease on it each time half of it has passed. The
    /// caller goes on with the document, and with the decision that it gets back, which has the
    /// lease as it is then.
    nonisolated(nonsending) func keeping<Value>(
        _ decided: LedgerRow.DecidedAnswer, on id: Challenge.ID, in hand: DocumentInHand,
        _ body: nonisolated(nonsending) () async -> Value
    ) async -> (value: Value, decided: LedgerRow.DecidedAnswer) {
        let pause = core.configuration.lease / 2
        guard pause > .zero else { return (await body(), decided) }
        let keeper = Task { [self, clock = core.environment.clock] in
            var decided = decided
            while true {
                await clock.sleep(for: pause)
                guard !Task.isCancelled, let renewed = await renewed(decided, on: id, in: hand)
                else { return decided }
                decided = renewed
            }
        }
        let value = await body()
        keeper.cancel()
        return (value, await keeper.value)
    }

    /// The same decision with a lease from now on; `nil` if it isn't this process's any more, or the
    /// store can't tell: the next exchange goes out all the same, as a lease is a courtesy.
    private func renewed(
        _ decided: LedgerRow.DecidedAnswer, on id: Challenge.ID, in hand: DocumentInHand
    ) async -> LedgerRow.DecidedAnswer? {
        let lease = lease
        let renewed = await core.reporting(
            "A lease couldn't be renewed.", by: id.enrollment.provider
        ) { () async throws(PushError) in
            try await core.change(id, in: hand) { row, _ in row.renew(decided, lease: lease) }?
                .value
        }
        return renewed ?? nil
    }
}
