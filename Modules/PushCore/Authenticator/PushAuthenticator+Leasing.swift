/// A lease lasts as long as what it was taken for, however many exchanges that takes.
extension PushAuthenticator {
    /// Runs what sends a decision, and renews the lease on it each time half of it has passed.
    ///
    /// - Returns: What `body` returned, and the decision with the lease as it is now.
    func keepingLease<Value>(
        on id: Challenge.ID, _ decided: LedgerRow.Decided, _ body: () async -> Value
    ) async -> (value: Value, decided: LedgerRow.Decided) {
        let pause = policies.lease / 2
        guard pause > .zero else { return (await body(), decided) }
        let keeper = Task { [weak self, clock = environment.clock] in
            var decided = decided
            while true {
                await clock.sleep(for: pause)
                guard !Task.isCancelled, let renewed = await self?.renewed(decided, on: id) else {
                    return decided
                }
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
        _ decided: LedgerRow.Decided, on id: Challenge.ID
    ) async -> LedgerRow.Decided? {
        do throws(PushError) {
            return try await ledger.renew(id, decided, lease: lease)
        } catch {
            report(error.of(id.enrollment.provider), "A lease couldn't be renewed.")
            return nil
        }
    }
}
