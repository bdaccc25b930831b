/// Measures comparisons and prints a table for each.
///
/// - Parameters:
///   - comparisons: What to measure.
///   - filter: Measures only those whose names contain one of these; all if it is empty.
public func run(_ comparisons: [Comparison], filter: [String]) async throws {
    for comparison in comparisons
    where filter.isEmpty || filter.contains(where: comparison.name.contains) {
        print("\n\(comparison.name)")
        print(row("", "min ns", "median ns", comparison.bytes == nil ? "" : "MB/s", "time"))
        var first: Double?
        for contestant in comparison.contestants {
            let result = try await Stopwatch().measure(contestant.operation)
            let throughput = comparison.bytes.map { Double($0) / result.median * 1000 }
            let ratio = result.median / (first ?? result.median)
            first = first ?? result.median
            print(
                row(
                    contestant.name, text(result.minimum), text(result.median),
                    throughput.map { text($0) } ?? "", "\(text(ratio, digits: 2)) x"))
        }
    }
}

private func row(_ name: String, _ columns: String...) -> String {
    columns.reduce("  " + name + padding(24 - name.count)) { line, column in
        line + padding(12 - column.count) + column
    }
}

private func padding(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

private func text(_ value: Double, digits: Int = 0) -> String {
    let scale = digits == 0 ? 1 : 100
    let scaled = Int((value * Double(scale)).rounded())
    guard scale > 1 else { return String(scaled) }
    let fraction = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: 2 - fraction.count) + fraction
}
