/// When rows that are finished can be forgotten: each is opened once in a process, however often it is
/// asked for.
///
/// Nothing opens a finished row again, so what was read of it stays true for as long as its record is
/// there. What another process changes in it all the same is found when it is about to be forgotten.
actor FinishedRows {
    private let core: AuthenticatorCore
    private var known: [Challenge.ID: RowAge] = [:]

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// The ages of rows that the store tells to be finished. One that can't be read is reported, and
    /// left out.
    ///
    /// - Parameter ids: All that there are; what is known of others is forgotten.
    /// - Returns: Their ages, of those that could be read.
    func ages(of ids: [Challenge.ID]) async -> [RowAge] {
        var found: [Challenge.ID: RowAge] = [:]
        for id in ids {
            if let age = known[id] {
                found[id] = age
                continue
            }
            do throws(PushError) {
                let (rows, unreadable) = try await core.ledger.rows(of: [id])
                for row in rows where row.isFinished { found[id] = RowAge(row) }
                for row in unreadable { await core.report(row) }
            } catch {
                await core.report(
                    error.attributed(to: id.enrollment.provider), "A ledger row can't be read.")
            }
        }
        known = found
        return Array(found.values)
    }

    /// Forgets what was read of a row, as it is changed or gone.
    func forget(_ id: Challenge.ID) { known[id] = nil }
}
