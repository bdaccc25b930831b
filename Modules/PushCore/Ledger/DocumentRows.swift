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
    private var content: DeferredContent<LedgerRow>

    /// What is known of a row without reading it.
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// It waits for the user, or for the vendor's word.
        static let waits = Flags(rawValue: 1)
        /// It is answered or over.
        static let ended = Flags(rawValue: 2)
        /// A version that tried couldn't read it.
        static let unreadable = Flags(rawValue: 4)

        /// Whether a row can have them.
        var isPossible: Bool {
            Flags([.waits, .ended, .unreadable]).isSuperset(of: self)
                && !isSuperset(of: [.waits, .ended])
        }
    }

    init(_ name: SipHash.Digest, _ flags: Flags, _ sealed: Secret) {
        self.name = name
        self.flags = flags
        content = DeferredContent(sealed)
    }

    init(_ name: SipHash.Digest, _ row: LedgerRow) {
        self.name = name
        flags = Flags(row)
        content = DeferredContent(new: row)
    }

    var waits: Bool { flags.contains(.waits) }

    var sealed: Secret { content.sealed }

    /// The row. It has the last word on its flags.
    ///
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if this version can't read it.
    mutating func row() throws(PushError) -> LedgerRow {
        do throws(PushError) {
            let row = try content.read()
            flags = Flags(row)
            return row
        } catch {
            flags.insert(.unreadable)
            throw PushError(
                .unsupportedRecord,
                "A challenge's row can't be read by this version. It is left as it is.",
                underlying: error)
        }
    }
}

extension RowSlot.Flags {
    /// One that was only mentioned neither waits nor has ended: nobody can answer it.
    init(_ row: LedgerRow) {
        if row.isFinished {
            self = .ended
        } else {
            self = row.announcement != nil || row.decided != nil ? .waits : []
        }
    }
}

/// The rows of a document. Those that wait stand in the order in which they began to, the others in
/// the order in which they ended.
struct DocumentRows: Sendable {
    /// How many can wait at once.
    static let mostWaiting = 64

    private(set) var slots: [RowSlot]

    init(_ slots: [RowSlot] = []) {
        self.slots = slots
    }

    var waiting: Int { slots.count { $0.waits } }

    /// A row; `nil` if there is none of this name.
    ///
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if this version can't read it.
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

    /// Closes what the user can answer, so that one more row can wait: what has expired, or else
    /// the oldest. Nothing drops a decision.
    ///
    /// - Parameters:
    ///   - passed: A moment that has certainly passed at the server; `nil` if none is known.
    ///   - now: The device's time.
    ///   - isSingleUse: Whether what opens a challenge goes once it is over.
    /// - Returns: What was closed: ``WithdrawalReason`` `expired` if its time was over, `unknown` for
    ///   what might still have been answered.
    /// - Throws: ``PushError`` with the code `storage` if there is no room. Nothing is closed then.
    mutating func makeRoom(
        _ passed: CompactDate?, at now: Date, isSingleUse: Bool
    ) throws(PushError) -> [LedgerRow] {
        let excess = waiting - Self.mostWaiting + 1
        guard excess > 0 else { return [] }
        var (expired, other): ([RowSlot], [(slot: RowSlot, since: Date)]) = ([], [])
        for index in slots.indices where slots[index].waits {
            guard let row = try? slots[index].row(), row.isWaiting, row.decided == nil else {
                continue
            }
            let end = row.announcement?.notice.expiry.flatMap { CompactDate($0, rounding: .up) }
            if let end, let passed, passed.seconds(since: end) > 0 {
                expired.append(slots[index])
            } else {
                other.append((slots[index], row.announcement?.notice.issued ?? row.seen))
            }
        }
        guard expired.count + other.count >= excess else {
            throw PushError(
                .storage, "\(Self.mostWaiting) decisions wait for their vendor: there is no room.")
        }
        // A list may name the newest first.
        let oldest = other.enumerated()
            .sorted { ($0.element.since, $0.offset) < ($1.element.since, $1.offset) }
            .prefix(max(0, excess - expired.count)).map(\.element.slot)
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

    /// Takes the oldest rows out that wait for nothing any more.
    ///
    /// - Parameter most: How many of these stay. What can't be read counts, and stays.
    /// - Returns: Their traces.
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
