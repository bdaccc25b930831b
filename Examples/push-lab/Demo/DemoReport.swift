import PushCore

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

    func table(for terminal: Terminal) -> String {
        let header = ["", "vendor", "flow", "expected", "seen", "time"]
        let cells = rows.map { row in
            [
                row.result.rawValue, row.vendor, row.flow, row.expected,
                row.result == .asExpected ? "as expected" : row.seen,
                row.result == .skipped ? "" : "\(row.milliseconds) ms",
            ]
        }
        let widths = header.indices.map { column in
            ([header] + cells).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == header.count - 1 ? padding + cell.0 : cell.0 + padding
            }.joined(separator: "  ")
        }
        var lines = [terminal.colored(line(header), .gray)]
        for (row, cells) in zip(rows, cells) {
            let color: Terminal.Color =
                switch row.result {
                case .asExpected: .green
                case .other: .red
                case .skipped: .yellow
                }
            let text = line(cells)
            let mark = text.prefix(widths[0])
            lines.append(terminal.colored(String(mark), color) + text.dropFirst(widths[0]))
        }
        lines.append("")
        lines.append(summary)
        return lines.joined(separator: "\n")
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
