import Foundation

/// What one comparison came to.
struct Report: Encodable {
    struct Line: Encodable {
        let name: String
        let minimumNanoseconds: Double
        let medianNanoseconds: Double
        /// How many times the first line's time it takes, per byte where each line has bytes of its
        /// own: the median of the rounds' own ratios.
        let ratio: Double
        let megabytesPerSecond: Double?
    }

    let name: String
    let bytes: Int?
    let lines: [Line]

    init(_ comparison: Comparison, _ samples: [[Double]]) {
        name = comparison.name
        bytes = comparison.bytes
        let first = comparison.contestants.first?.bytes
        lines = zip(comparison.contestants, samples).map { contestant, times in
            let scale = Double(first ?? 1) / Double(contestant.bytes ?? 1)
            let ratios = zip(times, samples[0]).map { $0 / $1 * scale }
            let bytes = contestant.bytes ?? comparison.bytes
            let median = Self.median(of: times)
            return Line(
                name: contestant.name, minimumNanoseconds: times.min() ?? .nan,
                medianNanoseconds: median, ratio: Self.median(of: ratios),
                megabytesPerSecond: bytes.map { Double($0) / median * 1000 })
        }
    }

    var table: String {
        let speed = lines.contains { $0.megabytesPerSecond != nil } ? "MB/s" : ""
        let heading = Self.row("", ["min ns", "median ns", speed, "time"])
        let rows = lines.map { line in
            Self.row(
                line.name,
                [
                    String(format: "%.0f", line.minimumNanoseconds),
                    String(format: "%.0f", line.medianNanoseconds),
                    line.megabytesPerSecond.map { String(format: "%.0f", $0) } ?? "",
                    String(format: "%.2f x", line.ratio),
                ])
        }
        return (["", name, heading] + rows).joined(separator: "\n")
    }

    private static func median(of values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }

    private static func row(_ name: String, _ columns: [String]) -> String {
        columns.reduce("  " + name + padding(36 - name.count)) { line, column in
            line + padding(12 - column.count) + column
        }
    }

    private static func padding(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}
