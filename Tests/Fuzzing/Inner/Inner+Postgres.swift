import PushCore

@testable import PushPostgres

extension Inner {
    /// Reads columns, each after a byte with its length, 255 for NULL; and the first as a text of
    /// libpq's.
    public static func postgresRow(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        var columns: [Secret?] = []
        var rest = bytes[...]
        while let length = rest.popFirst() {
            let count = length == 255 ? 0 : min(Int(length), rest.count)
            columns.append(length == 255 ? nil : Secret(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let row = PostgresRow(columns: columns)
        for column in -1...columns.count {
            if let broken = checked(row, column) { return broken }
        }
        return checkedGreeting(row) ?? checkedFailure(String(decoding: bytes, as: UTF8.self))
    }

    private static func checked(_ row: PostgresRow, _ column: Int) -> StaticString? {
        guard let secret = row.secret(column) else {
            return row.number(column) == nil && row.text(column) == nil
                && row.revision(column) == nil && row.revisions(column).isEmpty
                ? nil : "NULL is nothing"
        }
        if let text = row.text(column), !secret.isEqualInConstantTime(to: Secret(copying: text)) {
            return "a text is its bytes"
        }
        if let revision = row.revision(column) {
            let statement = PostgresStatement("", "", [.number(revision.value)])
            guard secret.isEqualInConstantTime(to: statement.encoded.memory) else {
                return "a number is what it is sent as"
            }
        }
        if let number = row.number(column), UInt32(exactly: number) == nil || secret.count != 4 {
            return "an integer has four bytes"
        }
        // Of an array, each has a length and eight bytes behind a head of twenty.
        guard row.revisions(column).count == max(0, secret.count - 20) / 12 else {
            return "a chain has as many revisions as its bytes"
        }
        return nil
    }

    private static func checkedGreeting(_ row: PostgresRow) -> StaticString? {
        guard (PostgresTables.judge([row]) == nil) == (row.number(0) == PostgresTables.format),
            PostgresTables.judge([]) != nil, PostgresTables.judge([row, row]) != nil
        else { return "only tables of this format are used" }
        let past = PostgresPast()
        if let error = past.refusal(of: [row], after: nil) {
            guard past.known == nil, error.code == .storage else {
                return "a server that isn't used is none that is known"
            }
            return nil
        }
        guard let known = past.known, known.position == 0,
            past.refusal(of: [row], after: known) == nil
        else { return "a server that went on is taken again" }
        past.note([PostgresRow(columns: [row.secret(3)])])
        guard let place = past.known, past.refusal(of: [row], after: place) == nil else {
            return "what a server confirmed is no way back for it"
        }
        guard place.position < .max else { return nil }
        let later = PostgresPast.Place(
            system: place.system, timeline: place.timeline, position: place.position + 1)
        guard let error = past.refusal(of: [row], after: later), error.code == .storage,
            error.reason.utf8.count < 300
        else { return "a server that lacks what was confirmed isn't used" }
        return nil
    }

    private static func checkedFailure(_ text: String) -> StaticString? {
        let failure = PostgresFailure(saying: text)
        guard failure.state.map({ $0.utf8.count == 5 }) ?? true else {
            return "a code has five letters"
        }
        guard failure.message.unicodeScalars.count <= 300,
            failure.message.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control
            })
        else { return "a message is one line" }
        switch failure.reply {
        case .rows(let rows):
            return rows.isEmpty && failure.state == "22012"
                ? nil : "a failure brings no rows"
        case .lost: return nil
        case .undone, .refused: return failure.state == nil ? "without a code, nobody knows" : nil
        }
    }
}
