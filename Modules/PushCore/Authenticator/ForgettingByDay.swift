#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Forgets what has been over for long, where there is an index: one process each day, which reads the
/// rows of the days that have passed, and no other.
///
/// The device's clock says which days these are. Whether a row may be forgotten, its server's clock
/// says, as elsewhere.
struct ForgettingByDay: Sendable {
    /// How many days are looked through at once: a clock that was set to anything mustn't make it more.
    private static let mostDays = 400

    /// How many rows are looked at on one day for being too many.
    private static let mostSurplus = 1000

    let core: AuthenticatorCore
    let housekeeping: Housekeeping

    private var over: OverIndex { core.ledger.over }

    /// Does it, unless it was done today.
    ///
    /// - Parameter waiting: How many challenges of each enrollment aren't over.
    func runOnceADay(waiting: [Enrollment.ID: Int]) async {
        do throws(PushError) {
            guard let progress = try await over.beginDay() else { return }
            let today = OverEntry.dayNumber(core.environment.clock.now)
            let retention = core.configuration.retention
            let reserve = max(0, max(retention.skew, retention.age).inSeconds)
            // A day has passed once its last moment is so long ago.
            var next = OverEntry.dayNumber(core.environment.clock.now - reserve)
            if let first = progress.next { next = min(next, first + Self.mostDays) }
            let later = max(next, min(today, next + Self.mostDays))
            if let first = progress.next {
                for day in first..<max(first, next) {
                    try await forget(day, before: next, later)
                }
            } else {
                try await adopt(notBefore: next)
            }
            try await forgetSurplus(from: next, through: later, waiting)
            try await over.finish(next: next)
            await housekeeping.forgetWhatIsLeft()
        } catch {
            await core.report(error, "What is over couldn't be forgotten.")
        }
    }

    /// Looks through all rows, as some may be of a version that put none among those that are over.
    private func adopt(notBefore next: Int) async throws(PushError) {
        let (rows, unreadable) = try await core.survey()
        await housekeeping.tidy(rows, finished: [], unreadable: unreadable)
        // What stays is found by its day from now on.
        let (left, _) = try await core.ledger.survey()
        for row in left where UnfinishedEntry(row) == nil {
            try await over.add(row, notBefore: next)
        }
    }

    // MARK: A day

    /// Looks through a day. Nothing of it is left: what may not be forgotten yet is looked at again on a
    /// later day.
    private func forget(_ day: Int, before next: Int, _ later: Int) async throws(PushError) {
        var enrollments: [Enrollment.ID: Enrollment?] = [:]
        var last: String?
        repeat {
            let page = try await over.page(of: day, after: last)
            let (rows, unreadable) = try await core.ledger.rows(of: page.entries.map(\.id))
            for row in unreadable { await core.report(row) }
            let found = Dictionary(rows.map { ($0.id, $0) }) { $1 }
            let unreadableIDs = Set(unreadable.map(\.id))
            for entry in page.entries {
                let id = entry.id.enrollment
                guard core.registry[id.provider] != nil, !unreadableIDs.contains(entry.id) else {
                    try await over.move(entry, to: later)
                    continue
                }
                guard let row = found[entry.id], UnfinishedEntry(row) == nil else {
                    try await over.drop(entry)
                    continue
                }
                let enrollment: Enrollment?
                if let known = enrollments[id] {
                    enrollment = known
                } else {
                    enrollment = try await housekeeping.enrollmentUnlessGone(id)
                    enrollments.updateValue(enrollment, forKey: id)
                }
                try await forget(row, of: enrollment, entry, before: next, later)
            }
            last = page.last
        } while last != nil
    }

    /// Forgets a row, or puts it off.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - enrollment: Its enrollment; `nil` if that is gone, or can't be found right now.
    ///   - entry: Where it stands.
    ///   - next: The day that is looked through next.
    ///   - later: The day for what nobody knows the end of.
    /// - Throws: What the store throws.
    private func forget(
        _ row: LedgerRow, of enrollment: Enrollment?, _ entry: OverEntry, before next: Int,
        _ later: Int
    ) async throws(PushError) {
        guard let enrollment else { return try await over.move(entry, to: next) }
        let age = RowAge(row)
        if await housekeeping.isForgettable(age, asSurplus: false, at: enrollment.server) {
            return try await remove(row, entry)
        }
        try await housekeeping.date([age], of: row.id.enrollment, at: enrollment.server)
        let hasEnd = age.expiry != nil || age.lastMoment != nil || age.dated != nil
        try await over.move(entry, to: hasEnd ? next : later)
    }

    private func remove(_ row: LedgerRow, _ entry: OverEntry) async throws(PushError) {
        try await core.ledger.remove(row.id, entry) { newest in
            newest.finished == row.finished && newest.state == row.state
        }
    }

    // MARK: The number

    /// Forgets what is beyond the number of challenges that are remembered, those that expired first
    /// before others. Only names are read where there are no more.
    private func forgetSurplus(
        from first: Int, through last: Int, _ waiting: [Enrollment.ID: Int]
    ) async throws(PushError) {
        var surplus: [Enrollment.ID: Int] = [:]
        for id in try await core.ledger.ids(of: nil)
        where core.registry[id.enrollment.provider] != nil {
            surplus[id.enrollment, default: 0] += 1
        }
        let count = max(0, core.configuration.retention.count)
        surplus = surplus.reduce(into: [:]) { result, item in
            let rest = item.value - (waiting[item.key] ?? 0) - count
            if rest > 0 { result[item.key] = rest }
        }
        var left = Self.mostSurplus
        for day in first...last where !surplus.isEmpty && left > 0 {
            let entries = try await entries(of: day, in: surplus, most: left)
            left -= entries.count
            let (rows, _) = try await core.ledger.rows(of: entries.map(\.id))
            let places = Dictionary(entries.map { ($0.id, $0) }) { $1 }
            let inOrder = rows.filter { UnfinishedEntry($0) == nil }.sorted {
                ($0.finished ?? $0.seen, $0.id.name) < ($1.finished ?? $1.seen, $1.id.name)
            }
            for row in inOrder {
                let id = row.id.enrollment
                guard let rest = surplus[id], let entry = places[row.id] else { continue }
                surplus[id] = rest > 1 ? rest - 1 : nil
                guard let enrollment = try await housekeeping.enrollmentUnlessGone(id),
                    await housekeeping.isForgettable(
                        RowAge(row), asSurplus: true, at: enrollment.server)
                else { continue }
                try await remove(row, entry)
            }
        }
    }

    private func entries(
        of day: Int, in surplus: [Enrollment.ID: Int], most: Int
    ) async throws(PushError) -> [OverEntry] {
        var entries: [OverEntry] = []
        var last: String?
        repeat {
            let page = try await over.page(of: day, after: last)
            entries += page.entries.filter { surplus[$0.id.enrollment] != nil }
            last = page.last
        } while last != nil && entries.count < most
        return entries
    }
}
