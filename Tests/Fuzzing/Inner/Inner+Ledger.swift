import Foundation

@testable import PushCore

extension Inner {
    /// Reads a text as a row of the ledger, and an object as the fields of one with secrets; and
    /// the text as the name of an enrollment's record.
    public static func ledgerRow(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        var records = [Secret(copying: bytes)]
        if let fields = (try? JSON(parsing: Data(bytes)))?.object {
            records += [[], ["context"], ["context", "answer"]].map { texts in
                Secret.Record(fields: fields, secrets: texts.map { Secret(copying: $0) }).sealed
            }
        }
        for record in records {
            if let broken = checkedRow(record) { return broken }
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
        let flags = RowSlot.Flags(row)
        guard flags == RowSlot.Flags(again) else {
            return "what waits in a row is told by its flags"
        }
        guard row.decided == nil || row.isFinished || flags == .waits else {
            return "a decision waits for the vendor's word"
        }
        return nil
    }

    private static func checkedName(_ name: String) -> StaticString? {
        guard let id = RecordKey.enrollment(named: name) else { return nil }
        return RecordKey.enrollment(named: Documents.key(id).name) == id
            ? nil : "an enrollment is found by its record's name"
    }
}
