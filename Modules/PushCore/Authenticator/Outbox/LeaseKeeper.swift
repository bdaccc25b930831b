#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A lease lasts as long as what it was taken for, however many exchanges that takes.
struct LeaseKeeper: Sendable {
    private let core: AuthenticatorCore
    private let sights: LeaseSights

    init(_ core: AuthenticatorCore) {
        self.core = core
        sights = LeaseSights(core)
    }

    /// Looks at the lease on a decision.
    ///
    /// - Returns: How it is judged, and what is left of it as far as only this process can tell.
    func look(
        at row: LedgerRow
    ) async -> (judged: LedgerRow.LeaseJudgment, rest: Duration?) {
        await sights.look(at: row.decided?.lease, on: row.id)
    }

    /// This process's lease on a decision, from now on.
    var lease: LedgerRow.Lease {
        LedgerRow.Lease(owner: core.instance, since: core.environment.clock.now)
    }

    /// Runs what sends a decision, and renews the lease on it each time half of it has passed.
    ///
    /// - Parameters:
    ///   - decided: The decision.
    ///   - id: Its challenge.
    ///   - hand: The document in which it stands, which the caller goes on with.
    ///   - body: What sends it.
    /// - Returns: What `body` returned, and the decision with the lease as it is now.
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
        do throws(PushError) {
            let lease = lease
            return try await core.change(id, in: hand) { row in
                row.renew(decided, lease: lease)
            }?.value
        } catch {
            await core.report(
                error.attributed(to: id.enrollment.provider), "A lease couldn't be renewed.")
            return nil
        }
    }
}

/// The leases of other processes that this one has seen, and since when: on a store that is
/// ``CredentialStore/isShared`` their clocks may differ from this one's.
///
/// A lease is over once it has been seen unchanged for its length. So that a short-lived process can
/// go on as well, it is over, too, if it began so long ago by the wall clock that no difference
/// between two clocks explains it.
private actor LeaseSights {
    private typealias Sight = (lease: LedgerRow.Lease, since: Duration)

    private let core: AuthenticatorCore
    private var sights = Cache<Challenge.ID, Sight>()

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    func look(
        at lease: LedgerRow.Lease?, on id: Challenge.ID
    ) -> (judged: LedgerRow.LeaseJudgment, rest: Duration?) {
        guard core.environment.store.isShared else { return (.byClock, nil) }
        guard let lease, lease.owner != core.instance else {
            sights[id] = nil
            return (.bySight(ended: nil), nil)
        }
        let (clock, length) = (core.environment.clock, core.configuration.lease)
        let since: Duration
        if let known = sights[id], known.lease == lease {
            since = known.since
        } else {
            since = clock.elapsed
            sights[id] = (lease, since)
        }
        let rest = length - (clock.elapsed - since)
        let age = clock.now.timeIntervalSince(lease.since)
        guard rest > .zero, age <= (length + PushConfiguration.leaseTolerance).inSeconds else {
            return (.bySight(ended: lease), nil)
        }
        return (.bySight(ended: nil), rest)
    }
}
