import PushCore
import TerminalIO

/// All rows, as a table for people or JSON for programs.
struct DemoReport {
    private let rows: [DemoRow]

    init(_ rows: [DemoRow]) {
        self.rows = rows
    }

    private func count(_ result: DemoRow.Result) -> Int {
        rows.count { $0.result == result }
    }

    // MARK: Table

    /// A table for each vendor, and a last line that counts the rows by result.
    func table(for terminal: Terminal) -> String {
        var table = TextTable(["", "flow", "expected", "seen", "time"])
        var vendor = ""
        for row in rows {
            if row.vendor != vendor {
                vendor = row.vendor
                table.addHeading(vendor)
            }
            table.add(
                [
                    row.result.rawValue, row.flow, row.expected, row.seen,
                    row.result == .skipped ? "" : "\(row.milliseconds) ms",
                ], color: row.result.color)
        }
        return table.text(for: terminal) + "\n\n" + summary
    }

    private var summary: String {
        let parts = [
            "\(rows.count) flows", "\(count(.asExpected)) as expected", "\(count(.other)) wrong",
            "\(count(.skipped)) skipped",
        ]
        return parts.joined(separator: ", ")
    }

    // MARK: JSON

    /// One object: `rows`, and the number of rows by `result`. Times are in milliseconds.
    var json: String {
        let objects = rows.map { row -> JSON in
            [
                "vendor": .string(row.vendor), "flow": .string(row.flow),
                "expected": .string(row.expected), "seen": .string(row.seen),
                "result": .string(row.result.rawValue.lowercased()),
                "milliseconds": .number(JSON.Number(Int64(row.milliseconds))),
            ]
        }
        func number(_ result: DemoRow.Result) -> JSON {
            .number(JSON.Number(Int64(count(result))))
        }
        let report: JSON = [
            "rows": .array(objects), "ok": number(.asExpected), "wrong": number(.other),
            "skipped": number(.skipped),
        ]
        return report.text
    }
}

extension DemoRow.Result {
    fileprivate var color: Terminal.Color {
        switch self {
        case .asExpected: .green
        case .other: .red
        case .skipped: .yellow
        }
    }
}
