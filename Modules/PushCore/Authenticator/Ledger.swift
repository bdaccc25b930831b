#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The record of every challenge this device has seen: one row each, changed by compare-and-set.
struct Ledger: Sendable {
    static let collection = "challenge"

    private let store: any CredentialStore
    let clock: any PushClock

    init(store: any CredentialStore, clock: any PushClock) {
        self.store = store
        self.clock = clock
    }

    /// A row; `nil` if the challenge was never seen.
    func row(_ id: Challenge.ID) async throws(PushError) -> LedgerRow? {
        guard let (value, _) = try await store.read(Self.key(id)) else { return nil }
        return try LedgerRow(reading: value)
    }

    /// A row of a challenge that was announced.
    func announced(
        _ id: Challenge.ID
    ) async throws(PushError) -> (row: LedgerRow, announcement: Announcement) {
        let provider = id.enrollment.provider
        guard let row = try await row(id), row.announcement != nil || row.withdrawal != nil else {
            throw PushError(.notFound, "There is no such challenge.", provider: provider)
        }
        guard let announcement = row.announcement else {
            throw PushError(.over, "It was withdrawn before it came.", provider: provider)
        }
        return (row, announcement)
    }

    /// Remembers an announcement, unless its challenge is known.
    func open(
        _ announcement: Announcement
    ) async throws(PushError) -> (row: LedgerRow, isNew: Bool) {
        let id = announcement.notice.id
        return try await change(id) { (row) throws(PushError) in
            if let row, row.announcement != nil || row.withdrawal != nil {
                return (nil, (row, isNew: false))
            }
            var new = row ?? LedgerRow(id: id, seen: clock.now)
            new.announcement = announcement
            return (new, (new, isNew: true))
        }
    }

    /// Remembers that a message about a challenge wasn't understood.
    ///
    /// - Returns: Whether this device hears of the challenge for the first time.
    func note(_ id: Challenge.ID) async throws(PushError) -> Bool {
        try await change(id) { (row) throws(PushError) in
            if row != nil { return (nil, false) }
            return (LedgerRow(id: id, seen: clock.now), true)
        }
    }

    /// Remembers that a challenge is over, whether it was announced or not.
    ///
    /// - Returns: Whether that is news.
    func close(
        _ withdrawal: Withdrawal, forgetsContext: Bool
    ) async throws(PushError) -> Bool {
        try await change(withdrawal.id) { (row) throws(PushError) in
            var row = row ?? LedgerRow(id: withdrawal.id, seen: clock.now)
            guard row.withdrawal == nil, row.outcome == nil else { return (nil, false) }
            row.withdrawal = withdrawal
            if row.decided == nil {
                row.finished = clock.now
                if forgetsContext { row.forgetContext() }
            }
            return (row, true)
        }
    }

    /// All rows, of one enrollment or of all, and those that are damaged.
    func survey(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> (rows: [LedgerRow], damaged: [Challenge.ID]) {
        var rows: [LedgerRow] = []
        var damaged: [Challenge.ID] = []
        for id in try await ids(of: enrollment) {
            do throws(PushError) {
                if let row = try await row(id) { rows.append(row) }
            } catch  where error.code == .malformed {
                damaged.append(id)
            }
        }
        return (rows, damaged)
    }

    /// Forgets every challenge of an enrollment.
    func removeAll(of enrollment: Enrollment.ID) async throws(PushError) {
        for id in try await ids(of: enrollment) { try await store.delete(Self.key(id)) }
    }

    /// Forgets a challenge, if it still is as it was found.
    func remove(_ id: Challenge.ID, if isUnchanged: (LedgerRow) -> Bool) async throws(PushError) {
        try await store.change(Self.key(id)) { (value) throws(PushError) in
            guard let value, isUnchanged(try LedgerRow(reading: value)) else { return (.keep, ()) }
            return (.delete, ())
        }
    }

    /// Notes a time by the server's clock at which a challenge was known already.
    func date(_ id: Challenge.ID, at time: Date) async throws(PushError) {
        try await change(id) { (row) throws(PushError) in
            guard var row, row.dated == nil else { return (nil, ()) }
            row.dated = time
            return (row, ())
        }
    }

    /// Changes the newest row; a body that returns no row writes nothing.
    func change<Value>(
        _ id: Challenge.ID,
        _ body: (LedgerRow?) throws(PushError) -> (row: LedgerRow?, value: Value)
    ) async throws(PushError) -> Value {
        try await store.change(Self.key(id)) { (found) throws(PushError) in
            let row = try found.map { (value) throws(PushError) in try LedgerRow(reading: value) }
            let (changed, value) = try body(row)
            return (changed.map { .replace($0.sealed) } ?? .keep, value)
        }
    }

    private func ids(of enrollment: Enrollment.ID?) async throws(PushError) -> [Challenge.ID] {
        try await store.names(in: Self.collection)
            .compactMap(Self.id(named:))
            .filter { enrollment == nil || $0.enrollment == enrollment }
    }

    /// The identifier that ``key(_:)`` made a name of.
    private static func id(named name: String) -> Challenge.ID? {
        guard let parts = RecordKey.parts(3, of: name) else { return nil }
        return Challenge.ID(
            parts[2], of: Enrollment.ID(parts[1], of: ProviderID(rawValue: parts[0])))
    }

    private static func key(_ id: Challenge.ID) -> RecordKey {
        RecordKey(
            collection, joining: [id.enrollment.provider.rawValue, id.enrollment.name, id.name])
    }
}
