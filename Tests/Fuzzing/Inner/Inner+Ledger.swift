import Foundation

@testable import PushCore

extension Inner {
    /// Reads a text as a row of the ledger and as an entry of its index; and an object as the
    /// fields of one with secrets.
    public static func ledgerRow(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        var records = [Secret(copying: bytes)]
        if let fields = (try? JSON(parsing: Data(bytes)))?.object {
            records += [[], ["context"], ["context", "answer"]].map { texts in
                SecretRecord(fields: fields, secrets: texts.map { Secret(copying: $0) }).sealed
            }
        }
        for record in records {
            if let broken = checkedRow(record) ?? checkedEntry(record) { return broken }
        }
        return checkedName(String(decoding: bytes, as: UTF8.self))
    }

    private static func checkedRow(_ record: Secret) -> StaticString? {
        let row: LedgerRow
        do throws(PushError) {
            row = try LedgerRow(reading: record)
        } catch {
            return [.malformed, .unsupportedRecord].contains(error.code)
                ? nil : "what is no row is malformed, or a newer version's"
        }
        guard let again = try? LedgerRow(reading: row.sealed),
            again.sealed.isEqualInConstantTime(to: row.sealed)
        else { return "a row is what it is written as" }
        guard again.state == row.state, again.id == row.id, again.outcome == row.outcome,
            again.announcement?.notice == row.announcement?.notice,
            again.withdrawal == row.withdrawal, again.decided?.lease == row.decided?.lease,
            again.decided?.pause == row.decided?.pause, !row.hasChanged
        else { return "nothing of a row changes by being written" }
        guard let entry = UnfinishedEntry(row) else { return nil }
        let stored = StoredRecord(entry.key, .success((entry.sealed, Revision(1))))
        guard let found = UnfinishedEntry(stored), UnfinishedEntry.isSame(found, entry) else {
            return "what waits in a row is found by its entry"
        }
        guard abs(OverEntry.day(of: row, notBefore: 0)) <= 1_000_000_000 else {
            return "a row's day is a day"
        }
        return nil
    }

    private static func checkedEntry(_ record: Secret) -> StaticString? {
        let id = Challenge.ID("c", of: .init("e", of: ProviderID(rawValue: "p")))
        let stored = StoredRecord(UnfinishedEntry.key(id), .success((record, Revision(1))))
        guard let entry = UnfinishedEntry(stored) else { return nil }
        guard entry.key == stored.key || entry.challenge == nil, entry.challenge ?? id == id else {
            return "an entry is at the place of what it names"
        }
        return nil
    }

    private static func checkedName(_ name: String) -> StaticString? {
        guard let id = Ledger.id(named: name) else { return nil }
        return Ledger.id(named: Ledger.key(id).name) == id
            ? nil : "a challenge is found by its record's name"
    }
}
