#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The place of a challenge among those that are over, in a store that is ``StoreTraits/atomic``: there
/// they are sorted by the day on which they expire, so that what may be forgotten is found without
/// reading what may not.
///
/// An entry is made in the commit that ends a row. It may name too much, such as a challenge that was
/// announced after a message about it that nobody understood; the row has the last word.
struct OverEntry: Sendable {
    let id: Challenge.ID
    let day: Int
    let revision: Revision

    var key: RecordKey { Self.key(id, day: day) }

    private static let prefix = "over/"

    static func collection(of day: Int) -> String { "\(prefix)\(day)" }

    static func isCollection(_ collection: String) -> Bool { collection.hasPrefix(prefix) }

    static func key(_ id: Challenge.ID, day: Int) -> RecordKey {
        RecordKey(collection(of: day), Ledger.key(id).name)
    }

    /// The change that puts a row among those that are over.
    ///
    /// The wall clock has no say in what is forgotten (``ForgettingByDay``). It says which day is the
    /// first that isn't looked through yet.
    static func creation(of row: LedgerRow, at now: Date) -> StoreChange {
        .create(key(row.id, day: day(of: row, notBefore: dayNumber(now))), value)
    }

    /// The day of a row: when its challenge expires, or when it may no longer come; else the first one
    /// that isn't looked through yet.
    static func day(of row: LedgerRow, notBefore first: Int) -> Int {
        let end = row.announcement.map { $0.notice.expiry } ?? row.withdrawal?.expiry
        return max(first, end.map(dayNumber) ?? first)
    }

    /// All there is to say is in the name.
    static let value = Secret([1])

    /// The days since 1970 at a moment, in UTC.
    static func dayNumber(_ date: Date) -> Int {
        let days = (date.timeIntervalSince1970 / 86_400).rounded(.down)
        return days.isFinite ? Int(max(-1e9, min(1e9, days))) : 0
    }

    /// The same of a number on record, which may be anything.
    static func dayNumber(_ recorded: Int64) -> Int {
        Int(max(-1_000_000_000, min(1_000_000_000, recorded)))
    }
}

/// Those that are over, by their days, in a store that is ``StoreTraits/atomic``; none in any other.
struct OverIndex: Sendable {
    /// How many rows are read by one call.
    static let pageSize = 125

    let rows: IndexedRows?
    let clock: any PushClock

    private static let place = RecordKey("over", "day")

    /// How far forgetting has come.
    struct Progress: Sendable {
        /// When it was begun last.
        var day: Int

        /// The first day that wasn't looked through; `nil` if rows were written by a version that put
        /// none among those that are over.
        var next: Int?
    }

    /// Claims what is done once a day, by the device's clock.
    ///
    /// - Returns: How far it has come; `nil` if it isn't this process's to do now.
    func beginDay() async throws(PushError) -> Progress? {
        guard let rows else { return nil }
        let today = OverEntry.dayNumber(clock.now)
        var claimed: Progress?
        _ = try await rows.store.replace(Self.place) { found in
            var progress = found.flatMap(Self.progress) ?? Progress(day: .min)
            guard progress.day != today else {
                claimed = nil
                return nil
            }
            progress.day = today
            claimed = progress
            return Self.sealed(progress)
        }
        return claimed
    }

    /// Remembers that all days before one were looked through.
    func finish(next: Int) async throws(PushError) {
        guard let rows else { return }
        _ = try await rows.store.replace(Self.place) { found in
            let progress = found.flatMap(Self.progress) ?? Progress(day: .min)
            return Self.sealed(Progress(day: progress.day, next: next))
        }
    }

    private static func progress(in record: Secret) -> Progress? {
        if let fields = try? SecretRecord(reading: record).fields,
            let day = fields["day"]?.integer
        {
            return Progress(
                day: Int(day), next: fields["next"]?.integer.map(OverEntry.dayNumber))
        }
        // What a version wrote that looked through all rows, once a day.
        return record.withBytes { Int(String(decoding: $0, as: UTF8.self)) }
            .map { Progress(day: $0) }
    }

    private static func sealed(_ progress: Progress) -> Secret {
        var fields: JSON.Object = ["day": .integer(progress.day)]
        fields["next"] = progress.next.map { JSON.integer($0) }
        return SecretRecord(fields: fields).sealed
    }

    // MARK: Entries

    /// A part of a day, after a challenge's entry, and whether it is the last one.
    func page(
        of day: Int, after name: String?
    ) async throws(PushError) -> (entries: [OverEntry], last: String?) {
        guard let rows else { return ([], nil) }
        let page = try await rows.store.page(
            of: OverEntry.collection(of: day), after: name, limit: Self.pageSize)
        var entries: [OverEntry] = []
        for record in page.records {
            switch record.content {
            case .success(let content?):
                guard let id = Ledger.id(named: record.key.name) else { continue }
                entries.append(OverEntry(id: id, day: day, revision: content.revision))
            case .success(nil): continue
            case .failure:
                // Its name says all, so it's made again, whole.
                try await rows.store.discardDamaged(record.key)
                guard let id = Ledger.id(named: record.key.name) else { continue }
                _ = try await rows.store.replace(record.key) { _ in OverEntry.value }
                guard let found = try await rows.store.read(record.key) else { continue }
                entries.append(OverEntry(id: id, day: day, revision: found.revision))
            }
        }
        return (entries, page.isLast ? nil : page.records.last?.key.name)
    }

    /// Puts a row among those that are over, unless it is there.
    func add(_ row: LedgerRow, notBefore first: Int) async throws(PushError) {
        let key = OverEntry.key(row.id, day: OverEntry.day(of: row, notBefore: first))
        _ = try await rows?.store.replace(key) { $0 == nil ? OverEntry.value : nil }
    }

    /// Takes an entry out.
    func drop(_ entry: OverEntry) async throws(PushError) {
        do throws(PushError) {
            _ = try await rows?.store.commit([.delete(entry.key, entry.revision)])
        } catch  where error.code == .conflict {}
    }

    /// Moves an entry to a later day.
    func move(_ entry: OverEntry, to day: Int) async throws(PushError) {
        guard day != entry.day else { return }
        do throws(PushError) {
            _ = try await rows?.store.commit([
                .create(OverEntry.key(entry.id, day: day), OverEntry.value),
                .delete(entry.key, entry.revision),
            ])
        } catch  where error.code == .conflict {
            // It stands there already.
            if error.refusal?.index == 0 { try await drop(entry) }
        }
    }
}
