import Foundation

@testable import PushCore

extension Inner {
    /// Reads bytes as an enrollment's document: it is written as it was. Then whatever can be read
    /// of it is read, and a challenge ends in it, by limits that leave nothing whole.
    public static func enrollmentDocument(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let record = Secret(copying: bytes)
        let document: EnrollmentDocument
        do throws(PushError) {
            document = try EnrollmentDocument(reading: record)
        } catch {
            return [.malformed, .unsupportedRecord].contains(error.code)
                ? nil : "what is no document is malformed, or another version's"
        }
        guard document.sealed.isEqualInConstantTime(to: record), !document.hasChanged else {
            return "a document is what it is written as"
        }
        let waiting = document.rows.waiting
        guard document.waits == (waiting > 0), waiting <= document.rows.slots.count else {
            return "what waits is in a row"
        }
        guard let head = try? EnrollmentHead(reading: document.head.sealed), head == document.head
        else { return "a head is what it is written as" }
        return checkedRows(document) ?? checkedChange(document)
    }

    private static func checkedRows(_ document: EnrollmentDocument) -> StaticString? {
        for slot in document.rows.slots {
            var slot = slot
            let sealed = slot.sealed
            do throws(PushError) {
                _ = try slot.row()
            } catch {
                guard error.code == .unsupportedRecord else {
                    return "a row that can't be read is left as it is"
                }
            }
            guard slot.sealed.isEqualInConstantTime(to: sealed) else {
                return "a row stays as its bytes until it changes"
            }
        }
        return nil
    }

    private static func checkedChange(_ document: EnrollmentDocument) -> StaticString? {
        let id = Challenge.ID("c-new", of: .init("e-1", of: "bank"))
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        let rules = DocumentRules(
            now: now, passed: CompactDate(now), limits: Retention(count: 0, rows: 0),
            isSingleUse: true)
        var changed = document
        let decided = document.rows.slots.filter { slot in
            var slot = slot
            return (try? slot.row())?.decided != nil && slot.waits
        }
        do throws(PushError) {
            _ = try changed.change(id, by: rules) { row in
                row.withdraw(Withdrawal(id, .cancelled), at: now, isSingleUse: true)
            }
            _ = try changed.change(Challenge.ID("c-other", of: id.enrollment), by: rules) {
                (row) throws(PushError) in
                try row.announce(Announcement(Notice(id: row.id, proof: .mac)))
            }
        } catch {
            guard [.unsupportedRecord, .storage].contains(error.code) else {
                return "a row that ends is refused by nothing else"
            }
        }
        let names = Set(changed.rows.slots.map(\.name))
        guard decided.allSatisfy({ names.contains($0.name) }) else {
            return "a decision is never forgotten"
        }
        guard let again = try? EnrollmentDocument(reading: changed.sealed),
            again.sealed.isEqualInConstantTime(to: changed.sealed)
        else { return "a document that was changed is read again" }
        return nil
    }
}
