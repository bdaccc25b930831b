/// A lease lasts as long as what it was taken for, however many exchanges that takes.
struct LeaseKeeper: Sendable {
    /// A decision under this process's lease, and its row as it was last written, if that is known.
    typealias Leased = (decided: LedgerRow.DecidedAnswer, inHand: RecordInHand<LedgerRow>?)

    private let core: AuthenticatorCore

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// This process's lease on a decision, from now on.
    var lease: LedgerRow.Lease {
        LedgerRow.Lease(owner: core.instance, since: core.environment.clock.now)
    }

    /// Runs what sends a decision, and renews the lease on it each time half of it has passed.
    ///
    /// - Returns: What `body` returned, and the decision with the lease as it is now.
    nonisolated(nonsending) func keeping<Value>(
        _ leased: Leased, on id: Challenge.ID, _ body: nonisolated(nonsending) () async -> Value
    ) async -> (value: Value, leased: Leased) {
        let pause = core.policies.lease / 2
        guard pause > .zero else { return (await body(), leased) }
        let keeper = Task { [self, clock = core.environment.clock] in
            var leased = leased
            while true {
                await clock.sleep(for: pause)
                guard !Task.isCancelled, let renewed = await renewed(leased, on: id) else {
                    return leased
                }
                leased = renewed
            }
        }
        let value = await body()
        keeper.cancel()
        return (value, await keeper.value)
    }

    /// The same decision with a lease from now on; `nil` if it isn't this process's any more, or the
    /// store can't tell: the next exchange goes out all the same, as a lease is a courtesy.
    private func renewed(_ leased: Leased, on id: Challenge.ID) async -> Leased? {
        do throws(PushError) {
            let (decided, inHand) = try await core.ledger.renew(
                id, leased.decided, lease: lease, from: leased.inHand)
            return decided.map { ($0, inHand) }
        } catch {
            await core.report(
                error.attributed(to: id.enrollment.provider), "A lease couldn't be renewed.")
            return nil
        }
    }
}
