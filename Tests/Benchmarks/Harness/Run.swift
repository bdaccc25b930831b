import Foundation

/// Measures comparisons, and prints a table for each, or one JSON text for all.
///
/// - Parameters:
///   - comparisons: What to measure.
///   - arguments: `--json` for JSON; `--repeat COUNT NAME` to do what one contestant does COUNT times,
///     for a profiler; anything else picks the comparisons whose names contain it,
///     in upper or lower case.
public func run(_ comparisons: [Comparison], arguments: [String]) async throws {
    if arguments.count == 3, arguments[0] == "--repeat", let count = Int(arguments[1]) {
        let contestants = comparisons.flatMap(\.contestants)
        guard let contestant = contestants.first(where: { $0.name == arguments[2] }) else { return }
        for _ in 0..<count { try await contestant.operation() }
        return
    }
    let filter = arguments.filter { $0 != "--json" }.map { $0.lowercased() }
    var reports: [Report] = []
    for comparison in comparisons
    where filter.isEmpty || filter.contains(where: comparison.name.lowercased().contains) {
        let report = Report(comparison, try await Stopwatch().measure(comparison.contestants))
        if arguments.contains("--json") { reports.append(report) } else { print(report.table) }
    }
    guard arguments.contains("--json") else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(reports), as: UTF8.self))
}
