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

    /// Whose turn may hold rows that were read with a credential; `nil` for nobody's.
    private let owner: ObjectIdentifier?

    /// The rows and the index of those that aren't finished, where the store is
    /// ``StoreTraits/atomic``; `nil` elsewhere: there a record says itself whether it is finished.
    private let indexed: IndexedRows?

    init(store: any CredentialStore, clock: any PushClock, owner: ObjectIdentifier? = nil) {
        self.store = store
        self.clock = clock
        self.owner = owner
        indexed = store.traits.contains(.atomic) ? IndexedRows(store: store, clock: clock) : nil
    }

    /// Whether the store keeps an index of what isn't finished.
    var isIndexed: Bool { indexed != nil }

    /// That index; it is empty, and stays so, where the store keeps none.
    var index: UnfinishedIndex { UnfinishedIndex(rows: indexed) }

    /// Those that are over, by their days.
    var over: OverIndex { OverIndex(rows: indexed, clock: clock) }

    // MARK: Reading

    /// A row; `nil` if the challenge was never seen.
    func row(_ id: Challenge.ID) async throws(PushError) -> LedgerRow? {
        try await inHand(id).content
    }

    /// A row for a change to start from: as it was read with its credential in this turn, or as the
    /// store has it.
    private func inHand(
        _ id: Challenge.ID
    ) async throws(PushError) -> RecordInHand<LedgerRow> {
        guard let indexed else { return try await store.inHand(Self.key(id)) }
        if let owner, let memo = RecordMemo.current.get(),
            let found = await memo.take(Self.keys(id), of: owner)
        {
            return try await indexed.inHand(id, in: found)
        }
        return try await indexed.inHand(id)
    }

    /// Rows for changes to start from, where there is an index; or why a row can't be read.
    func inHand(
        all ids: [Challenge.ID]
    ) async throws(PushError) -> [Challenge.ID: Result<RecordInHand<LedgerRow>, PushError>] {
        try await indexed?.inHand(all: ids) ?? [:]
    }

    /// What belongs to one challenge, where there is an index.
    func keysBesideCredential(of id: Challenge.ID) -> [RecordKey] {
        isIndexed ? Self.keys(id) : []
    }

    private static func keys(_ id: Challenge.ID) -> [RecordKey] {
        [key(id), UnfinishedEntry.key(id)]
    }

    /// A row of a challenge that was announced, for a change to start from.
    func announced(_ id: Challenge.ID) async throws(PushError) -> AnnouncedRow {
        let provider = id.enrollment.provider
        let inHand = try await inHand(id)
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
        let ids: [Challenge.ID]
        if isIndexed {
            ids = try await index.entries().compactMap(\.challenge)
                .filter { enrollment == nil || $0.enrollment == enrollment }
        } else {
            let names = try await store.names(in: Self.collection, waiting: true)
            ids = Self.ids(named: names, of: enrollment)
        }
        let (rows, unreadable) = try await rows(of: ids)
        return (rows.filter { !$0.isFinished }, unreadable)
    }

    /// The rows that the store doesn't tell to be finished, those of them that can't be read, and which
    /// others there are: these aren't opened.
    func surveyUnfinished() async throws(PushError) -> (
        rows: [LedgerRow], unreadable: [UnreadableRow], finished: [Challenge.ID]
    ) {
        let names = try await store.names(in: Self.collection, waiting: true)
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
        for start in stride(from: 0, to: ids.count, by: UnfinishedIndex.pageSize) {
            let part = ids[start...].prefix(UnfinishedIndex.pageSize)
            for (id, found) in zip(part, try await store.read(all: part.map(Self.key))) {
                do throws(PushError) {
                    if let (value, _) = try found.content.get() {
                        rows.append(try LedgerRow(reading: value))
                    }
                } catch  where error.isUnreadableRow {
                    unreadable.append(UnreadableRow(id: id, error: error))
                }
            }
        }
        return (rows, unreadable)
    }

    // MARK: What is heard of a challenge

    /// Remembers an announcement, or what another one of a known challenge brings
    /// (``LedgerRow/announce(_:merge:)``).
    ///
    /// Most are new, so it is written as such, and only read if there is a row.
    ///
    /// - Parameters:
    ///   - announcement: What announces it.
    ///   - isListed: Whether its vendor's list does.
    ///   - along: What else is changed if the challenge is new, where there is an index.
    ///   - merge: What the provider makes of two announcements.
    /// - Returns: The row, and whether the challenge is new.
    /// - Throws: What ``change(_:from:along:_:)`` throws, and `merge`.
    func open(
        _ announcement: Announcement, isListed: Bool = false, along: [StoreChange] = [],
        merge: LedgerRow.Merge = { _, _ in nil }
    ) async throws(PushError) -> Arrival {
        let id = announcement.notice.id
        let body: (inout LedgerRow) throws(PushError) -> Arrival = { (row) throws(PushError) in
            let known = row.announcement?.notice
            let isNew = try row.announce(announcement, merge: merge)
            let isRenewed = !isNew && row.hasChanged
            if isListed { row.list() }
            return Arrival(row: row, isNew: isNew, isRenewed: isRenewed, known: known)
        }
        guard let indexed else { return try await change(id, from: .absent, body).value }
        var (arrival, _, alongside) = try await indexed.change(
            id, from: .absent, new: LedgerRow(id, seen: clock.now),
            along: { $0?.isKnown == true ? [] : along }, body)
        arrival.alongside = alongside
        return arrival
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
        _ withdrawal: Withdrawal, isSingleUse: Bool
    ) async throws(PushError) -> Bool {
        let now = clock.now
        return try await change(withdrawal.id) { row in
            row.withdraw(withdrawal, at: now, isSingleUse: isSingleUse)
        }.value
    }

    /// Remembers that a vendor's list no longer has a challenge
    /// (``LedgerRow/unlist(_:at:isSingleUse:)``).
    func unlist(
        _ withdrawal: Withdrawal, isSingleUse: Bool
    ) async throws(PushError) -> Bool? {
        let now = clock.now
        return try await change(withdrawal.id) { row in
            row.unlist(withdrawal, at: now, isSingleUse: isSingleUse)
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
    ///   - along: What else belongs to the change, where there is an index.
    ///   - body: Gets the row, or a new one if none is on record. It may run more than once.
    /// - Returns: What `body` returned, and the row as it is then, if that is known.
    /// - Throws: What `body` throws; `PushError` with the code `storage` if the store can't be
    ///   used, `malformed` if the row is damaged, `conflict` if others were first a hundred times.
    func change<Value>(
        _ id: Challenge.ID, from inHand: RecordInHand<LedgerRow>? = nil,
        along: IndexedRows.Along = { _ in [] },
        _ body: (inout LedgerRow) throws(PushError) -> Value
    ) async throws(PushError) -> (value: Value, inHand: RecordInHand<LedgerRow>?) {
        let seen = clock.now
        if let indexed {
            let (value, newest, _) = try await indexed.change(
                id, from: inHand, new: LedgerRow(id, seen: seen), along: along, body)
            return (value, newest)
        }
        return try await store.change(Self.key(id), from: inHand) { (found) throws(PushError) in
            var row = found ?? LedgerRow(id, seen: seen)
            let value = try body(&row)
            return (row.hasChanged ? .replace(row.asRecorded) : .keep, value)
        }
    }

    // MARK: Forgetting

    /// Forgets every challenge of an enrollment.
    func removeAll(of enrollment: Enrollment.ID) async throws(PushError) {
        for id in try await ids(of: enrollment) {
            try await store.delete(Self.key(id))
            if isIndexed { try await store.delete(UnfinishedEntry.key(id)) }
        }
    }

    /// Forgets a challenge, and where it is among those that are over, if it still is as it was found.
    func remove(
        _ id: Challenge.ID, _ over: OverEntry? = nil, if isUnchanged: (LedgerRow) -> Bool
    ) async throws(PushError) {
        if let indexed { return try await indexed.delete(id, over, if: isUnchanged) }
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
    static func id(named name: String) -> Challenge.ID? {
        guard let parts = RecordKey.parts(3, of: name) else { return nil }
        return Challenge.ID(
            parts[2], of: Enrollment.ID(parts[1], of: ProviderID(rawValue: parts[0])))
    }

    static func key(_ id: Challenge.ID) -> RecordKey {
        RecordKey(
            collection, joining: [id.enrollment.provider.rawValue, id.enrollment.name, id.name])
    }
}
