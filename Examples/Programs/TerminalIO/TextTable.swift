/// A table of texts that fits a terminal: its wide columns wrap between words.
public struct TextTable {
    private struct Row {
        let cells: [String]
        let color: Terminal.Color?
    }

    private let header: [String]
    private var rows: [Row] = []

    private static let gap = "  "

    /// Creates an empty table; the first column is colored, the last one flush right.
    public init(_ header: [String]) {
        self.header = header
    }

    /// Adds a line of its own.
    public mutating func addHeading(_ text: String) {
        rows.append(Row(cells: [text], color: nil))
    }

    /// Adds a row, its first cell in a color.
    public mutating func add(_ cells: [String], color: Terminal.Color) {
        rows.append(Row(cells: cells, color: color))
    }

    /// The lines, as wide as the terminal allows.
    public func text(for terminal: Terminal) -> String {
        let widths = widths(within: terminal.width)
        var lines = [terminal.colored(Self.line(header, widths), .gray)]
        for row in rows {
            guard let color = row.color else {
                lines.append(terminal.colored(row.cells[0], .bold))
                continue
            }
            for (index, line) in wrapped(row.cells, widths).enumerated() {
                let text = Self.line(line, widths)
                let mark = String(text.prefix(widths[0]))
                let rest = text.dropFirst(widths[0])
                let line = (index == 0 ? terminal.colored(mark, color) : mark) + rest
                lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What each column needs, the widest ones made narrower until the row fits.
    private func widths(within limit: Int?) -> [Int] {
        var widths = header.indices.map { column in
            rows.filter { $0.color != nil }.map { $0.cells[column].count }
                .reduce(header[column].count, max)
        }
        let gaps = Self.gap.count * (header.count - 1)
        while let limit, widths.reduce(gaps, +) > limit, let widest = widths.max(), widest > 12,
            let column = widths.firstIndex(of: widest)
        {
            widths[column] -= 1
        }
        return widths
    }

    private func wrapped(_ cells: [String], _ widths: [Int]) -> [[String]] {
        let columns = zip(cells, widths).map { Self.wrap($0, to: $1) }
        let height = columns.map(\.count).max() ?? 0
        return (0..<height).map { line in columns.map { line < $0.count ? $0[line] : "" } }
    }

    private static func wrap(_ text: String, to width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        zip(cells, widths).enumerated().map { column, cell in
            let padding = String(repeating: " ", count: max(cell.1 - cell.0.count, 0))
            return column == cells.count - 1 ? padding + cell.0 : cell.0 + padding
        }.joined(separator: gap)
    }
}
