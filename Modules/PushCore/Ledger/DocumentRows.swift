#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The place of a row in a document: its bytes until somebody asks for it. What this version can't
/// read stays as it is.
struct RowSlot: Sendable {
    let name: SipHash.Digest
    private(set) var flags: Flags

    /// The row's record.
    let sealed: Secret

    /// The row, once somebody has asked for it.
    private var read: LedgerRow?

    /// What is known of a row without reading it.
    enum Flags: UInt8 {
        /// It was only mentioned, so nobody can answer it.
        case mentioned
        /// It waits for the user, or for the vendor's word.
        case waits
        /// It is answered or over.
        case ended

        init(_ row: LedgerRow) {
            if row.isFinished {
                self = .ended
            } else {
                self = row.announcement != nil || row.decided != nil ? .waits : .mentioned
            }
        }
    }

    init(_ name: SipHash.Digest, _ flags: Flags, _ sealed: Secret) {
        self.name = name
        self.flags = flags
        self.sealed = sealed
    }

    init(_ name: SipHash.Digest, _ row: LedgerRow) {
        self.init(name, Flags(row), row.sealed)
        read = row
    }

    var waits: Bool { flags == .waits }

    /// The row, which has the last word on its flags; `unsupportedRecord` if this version can't
    /// read it.
    mutating func row() throws(PushError) -> LedgerRow {
        if let read { return read }
        do throws(PushError) {
            let row = try LedgerRow(reading: sealed)
            flags = Flags(row)
            read = row
            return row
        } catch {
            throw PushError(
                .unsupportedRecord,
                "A challenge's row can't be read by this version. It is left as it is.",
                underlying: error)
        }
    }
}

/// The rows of a document. Those that wait stand in the order in which they began to, the others in
/// the order in which they ended.
struct DocumentRows: Sendable {
    /// How many can wait at once.
    static let mostWaiting = 64

    private(set) var slots: [RowSlot] = []

    var waiting: Int { slots.count { $0.waits } }

    /// A row; `nil` if there is none of this name.
    mutating func row(_ name: SipHash.Digest) throws(PushError) -> LedgerRow? {
        guard let place = place(of: name) else { return nil }
        return try slots[place].row()
    }

    mutating func put(_ row: LedgerRow, _ name: SipHash.Digest) {
        let slot = RowSlot(name, row.asRecorded)
        if let place = place(of: name) {
            if slots[place].flags == slot.flags {
                slots[place] = slot
                return
            }
            slots.remove(at: place)
        }
        slots.append(slot)
    }

    private func place(of name: SipHash.Digest) -> Int? {
        slots.firstIndex { $0.name == name }
    }

    // MARK: The bounds

    /// The rows that can be read, and how many can't.
    mutating func readable(waiting: Bool) -> (rows: [LedgerRow], unreadable: Int) {
        var (found, unreadable): ([LedgerRow], Int) = ([], 0)
        for index in slots.indices where !waiting || slots[index].waits {
            if let row = try? slots[index].row() { found.append(row) } else { unreadable += 1 }
        }
        return (found, unreadable)
    }

    /// What the rows leave another device: what was answered, here or elsewhere. What was only closed
    /// here may be open at its vendor.
    mutating func traces() -> [Trace] {
        slots.indices.compactMap { index in
            guard !slots[index].waits, let row = try? slots[index].row(),
                row.decided != nil || row.withdrawal?.reason == .elsewhere
            else { return nil }
            return Trace(of: row, slots[index].name)
        }
    }

    /// Closes what the user can answer, so that one more row can wait, and returns it: what has
    /// expired by `passed`, a moment that has certainly passed at the server; or else the oldest,
    /// for an unknown reason, as the user might still have answered it. Nothing drops a decision:
    /// if there is no room, it closes nothing, and throws `storage`.
    mutating func makeRoom(
        _ passed: CompactDate?, at now: Date, isSingleUse: Bool
    ) throws(PushError) -> [LedgerRow] {
        let excess = waiting - Self.mostWaiting + 1
        guard excess > 0 else { return [] }
        var (expired, other): ([RowSlot], [(slot: RowSlot, since: Date)]) = ([], [])
        for index in slots.indices where slots[index].waits {
            guard let row = try? slots[index].row(), row.state == .open else { continue }
            let notice = row.announcement?.notice
            let end = notice?.expiry.flatMap { CompactDate($0, rounding: .up) }
            if let end, let passed, passed.seconds(since: end) > 0 {
                expired.append(slots[index])
            } else {
                other.append((slots[index], notice?.issued ?? row.seen))
            }
        }
        guard expired.count + other.count >= excess else {
            throw PushError(
                .storage, "\(Self.mostWaiting) decisions wait for their vendor: there is no room.")
        }
        // A list may name the newest first.
        let oldest = other.inOrder { ($0.since, "") }
            .prefix(max(0, excess - expired.count)).map(\.slot)
        return close(expired, .expired, at: now, isSingleUse)
            + close(oldest, .unknown, at: now, isSingleUse)
    }

    private mutating func close(
        _ slots: [RowSlot], _ reason: WithdrawalReason, at now: Date, _ isSingleUse: Bool
    ) -> [LedgerRow] {
        slots.compactMap { slot in
            var slot = slot
            guard var row = try? slot.row() else { return nil }
            _ = row.withdraw(Withdrawal(row.id, reason), at: now, isSingleUse: isSingleUse)
            put(row, slot.name)
            return row.asRecorded
        }
    }

    /// Takes the oldest rows out that wait for nothing any more, until `most` of these stay, and
    /// returns their traces. What can't be read counts, and stays.
    mutating func removeSurplus(beyond most: Int) -> [Trace] {
        var surplus = slots.count - waiting - max(0, most)
        guard surplus > 0 else { return [] }
        var (kept, traces): ([RowSlot], [Trace]) = ([], [])
        for var slot in slots {
            // A flag may be damaged: its row says whether it waits.
            if surplus > 0, !slot.waits, let row = try? slot.row(), !slot.waits {
                traces.append(Trace(of: row, slot.name))
                surplus -= 1
            } else {
                kept.append(slot)
            }
        }
        slots = kept
        return traces
    }
}
