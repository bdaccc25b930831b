#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The record of every challenge this device has seen: one row each, changed by compare-and-set.
///
/// It loads a row, runs one function of it, and writes; what may become of a row is the row's to
/// know (``LedgerRow``).
struct Ledger: Sendable {
    static let collection = "challenge"

    private let store: any CredentialStore
    let clock: any PushClock

    init(store: any CredentialStore, clock: any PushClock) {
        self.store = store
        self.clock = clock
    }

    // MARK: Reading

    /// A row; `nil` if the challenge was never seen.
    func row(_ id: Challenge.ID) async throws(PushError) -> LedgerRow? {
        try await store.inHand(Self.key(id)).content
    }

    /// A row of a challenge that was announced, for a change to start from.
    func announced(_ id: Challenge.ID) async throws(PushError) -> AnnouncedRow {
        let provider = id.enrollment.provider
        let inHand: RecordInHand<LedgerRow> = try await store.inHand(Self.key(id))
        guard inHand.content?.isKnown == true else {
            throw PushError(.notFound, "There is no such challenge.", provider: provider)
        }
        guard let found = AnnouncedRow(inHand) else {
            throw PushError(.over, "It was withdrawn before it came.", provider: provider)
        }
        return found
    }

    /// All rows, of one enrollment or of all, and those that can't be read.
    func survey(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> (rows: [LedgerRow], unreadable: [UnreadableRow]) {
        try await rows(of: try await ids(of: enrollment))
    }

    /// The rows that wait for the user or for the vendor's word, of one enrollment or of all, and those
    /// that can't be read. No other is opened, where the store can tell.
    func unfinished(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> (rows: [LedgerRow], unreadable: [UnreadableRow]) {
        let names = try await store.unfinishedNames(in: Self.collection)
        let (rows, unreadable) = try await rows(of: Self.ids(named: names, of: enrollment))
        return (rows.filter { !$0.isFinished }, unreadable)
    }

    /// The rows that the store doesn't tell to be finished, those of them that can't be read, and which
    /// others there are: these aren't opened.
    func surveyUnfinished() async throws(PushError) -> (
        rows: [LedgerRow], unreadable: [UnreadableRow], finished: [Challenge.ID]
    ) {
        let names = try await store.unfinishedNames(in: Self.collection)
        let unfinished = Self.ids(named: names, of: nil)
        let all = try await ids(of: nil)
        let (rows, unreadable) = try await rows(of: unfinished)
        let looked = Set(unfinished)
        return (rows, unreadable, all.filter { !looked.contains($0) })
    }

    /// Rows by their identifiers, and those that can't be read.
    func rows(
        of ids: [Challenge.ID]
    ) async throws(PushError) -> (rows: [LedgerRow], unreadable: [UnreadableRow]) {
        var rows: [LedgerRow] = []
        var unreadable: [UnreadableRow] = []
        for id in ids {
            do throws(PushError) {
                if let row = try await row(id) { rows.append(row) }
            } catch  where error.isUnreadableRow {
                unreadable.append(UnreadableRow(id: id, error: error))
            }
        }
        return (rows, unreadable)
    }

    // MARK: What is heard of a challenge

    /// Remembers an announcement, or what another one of a known challenge brings
    /// (``LedgerRow/announce(_:merge:)``).
    ///
    /// Most are new, so it is written as such, and only read if there is a row.
    func open(
        _ announcement: Announcement, merge: LedgerRow.Merge = { _, _ in nil }
    ) async throws(PushError) -> Arrival {
        try await change(announcement.notice.id, from: .absent) { (row) throws(PushError) in
            let known = row.announcement?.notice
            let isNew = try row.announce(announcement, merge: merge)
            return Arrival(row: row, isNew: isNew, known: known)
        }.value
    }

    /// Remembers that a message about a challenge wasn't understood.
    ///
    /// - Returns: Whether this device hears of the challenge for the first time.
    func mention(_ id: Challenge.ID) async throws(PushError) -> Bool {
        try await change(id) { row in row.mention() }.value
    }

    /// Replaces what the provider keeps of a challenge (``LedgerRow/note(_:)``).
    func note(
        _ id: Challenge.ID, _ context: Secret, from inHand: RecordInHand<LedgerRow>
    ) async throws(PushError) -> RecordInHand<LedgerRow>? {
        try await change(id, from: inHand) { row in row.note(context) }.inHand
    }

    /// Remembers that a challenge is over, whether it was announced or not.
    ///
    /// - Returns: Whether that is news.
    func close(
        _ withdrawal: Withdrawal, hasSingleUseContext: Bool
    ) async throws(PushError) -> Bool {
        let now = clock.now
        return try await change(withdrawal.id) { row in
            row.withdraw(withdrawal, at: now, hasSingleUseContext: hasSingleUseContext)
        }.value
    }

    /// Remembers that a vendor's list no longer has a challenge (``LedgerRow/unlist(_:at:hasSingleUseContext:)``).
    func unlist(
        _ withdrawal: Withdrawal, hasSingleUseContext: Bool
    ) async throws(PushError) -> Bool {
        let now = clock.now
        return try await change(withdrawal.id) { row in
            row.unlist(withdrawal, at: now, hasSingleUseContext: hasSingleUseContext)
        }.value
    }

    /// Notes a time by the server's clock at which a challenge was known already.
    func date(_ id: Challenge.ID, at time: Date) async throws(PushError) {
        _ = try await change(id) { row in row.date(at: time) }
    }

    // MARK: Changing

    /// Runs a function of the newest row, and writes the row if that changed it.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - inHand: The row as it was last read or written, to start from.
    ///   - body: Gets the row, or a new one if none is on record. It may run more than once.
    /// - Returns: What `body` returned, and the row as it is then, if that is known.
    /// - Throws: What `body` throws; `PushError` with the code `storage` if the store can't be
    ///   used, `malformed` if the row is damaged, `conflict` if others were first a hundred times.
    func change<Value>(
        _ id: Challenge.ID, from inHand: RecordInHand<LedgerRow>? = nil,
        _ body: (inout LedgerRow) throws(PushError) -> Value
    ) async throws(PushError) -> (value: Value, inHand: RecordInHand<LedgerRow>?) {
        let seen = clock.now
        return try await store.change(Self.key(id), from: inHand) { (found) throws(PushError) in
            var row = found ?? LedgerRow(id, seen: seen)
            let value = try body(&row)
            return (row.hasChanged ? .replace(row.asRecorded) : .keep, value)
        }
    }

    // MARK: Forgetting

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

    // MARK: Names

    /// The challenges that have a row, of one enrollment or of all. No row is opened.
    func ids(of enrollment: Enrollment.ID?) async throws(PushError) -> [Challenge.ID] {
        Self.ids(named: try await store.names(in: Self.collection), of: enrollment)
    }

    private static func ids(
        named names: [String], of enrollment: Enrollment.ID?
    ) -> [Challenge.ID] {
        names.compactMap(Self.id(named:))
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

/// A row that is damaged, or has another form than this version reads.
struct UnreadableRow: Sendable {
    let id: Challenge.ID
    let error: PushError
}

extension PushError {
    /// Whether it says that one row can't be read, which mustn't hide any other.
    var isUnreadableRow: Bool { code == .malformed || code == .unsupportedRecord }
}

/// A row of a challenge that was announced, with what a change of it may start from.
struct AnnouncedRow: Sendable {
    let row: LedgerRow
    let announcement: Announcement
    let inHand: RecordInHand<LedgerRow>

    /// `nil` if it wasn't announced.
    init?(_ inHand: RecordInHand<LedgerRow>) {
        guard let row = inHand.content, let announcement = row.announcement else { return nil }
        self.row = row
        self.announcement = announcement
        self.inHand = inHand
    }
}

/// What becomes of a decision, from its recording to the vendor's word: each function loads the row,
/// runs the row's function of the same name, and writes.
extension Ledger {
    /// Records a decision (``LedgerRow/decide(_:again:length:)``).
    ///
    /// - Returns: Whether a copy may have reached the vendor before.
    func decide(
        _ id: Challenge.ID, _ decided: LedgerRow.DecidedAnswer, again: Bool, length: Duration,
        from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) -> (hasArrived: Bool, inHand: RecordInHand<LedgerRow>?) {
        let (value, inHand) = try await change(id, from: inHand) { (row) throws(PushError) in
            try row.decide(decided, again: again, length: length)
        }
        return (value, inHand)
    }

    /// Claims a decision for sending (``LedgerRow/claim(for:length:)``).
    func claim(
        _ id: Challenge.ID, for lease: LedgerRow.Lease, length: Duration,
        from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) -> (claim: LedgerRow.Claim, inHand: RecordInHand<LedgerRow>?) {
        let (value, inHand) = try await change(id, from: inHand) { row in
            row.claim(for: lease, length: length)
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

    /// Ends a try that brought no final word (``LedgerRow/release(_:mayHaveArrived:pause:context:)``).
    func release(
        _ id: Challenge.ID, _ judged: LedgerRow.DecidedAnswer, mayHaveArrived: Bool,
        pause: LedgerRow.Pause?, context: Secret? = nil, from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) {
        _ = try await change(id, from: inHand) { row in
            row.release(judged, mayHaveArrived: mayHaveArrived, pause: pause, context: context)
        }
    }

    /// Records the vendor's final word (``LedgerRow/settle(_:_:context:at:hasSingleUseContext:)``).
    ///
    /// - Returns: The word that stands for this decision: another process's, if it was first.
    func settle(
        _ id: Challenge.ID, _ judged: LedgerRow.DecidedAnswer, _ word: Outcome,
        context: Secret? = nil,
        hasSingleUseContext: Bool, from inHand: RecordInHand<LedgerRow>? = nil
    ) async throws(PushError) -> Outcome {
        let now = clock.now
        return try await change(id, from: inHand) { row in
            row.settle(
                judged, word, context: context, at: now, hasSingleUseContext: hasSingleUseContext)
        }.value
    }
}
