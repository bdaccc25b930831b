import Foundation

/// Makes the comparisons of one subject ready: what its contestants need is made here.
public typealias Subject = () async throws -> [Comparison]

/// Measures comparisons, and prints a table for each, or one JSON text for all.
///
/// - Parameters:
///   - subjects: What to measure.
///   - arguments: `--json` for JSON; `--repeat COUNT NAME` to do what one contestant does COUNT times,
///     for a profiler, and only after what its subject and those before it need was made;
///     anything else picks the comparisons whose names contain it, in upper or lower case.
/// - Throws: What a subject throws.
public func run(_ subjects: [Subject], arguments: [String]) async throws {
    if arguments.count >= 3, arguments[0] == "--repeat", let count = Int(arguments[1]) {
        return try await `repeat`(arguments[2], count, in: arguments.dropFirst(3).first, subjects)
    }
    let filter = arguments.filter { $0 != "--json" }.map { $0.lowercased() }
    var reports: [Report] = []
    // Each is measured before the next is made ready, which may start programs.
    for subject in subjects {
        for comparison in try await subject()
        where filter.isEmpty || filter.contains(where: comparison.name.lowercased().contains) {
            let report = Report(comparison, try await Stopwatch().measure(comparison.contestants))
            if arguments.contains("--json") { reports.append(report) } else { print(report.table) }
        }
    }
    guard arguments.contains("--json") else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(reports), as: UTF8.self))
}

/// Several comparisons may have a contestant of one name: a word of theirs tells which is meant.
private func `repeat`(
    _ name: String, _ count: Int, in comparison: String?, _ subjects: [Subject]
) async throws {
    for subject in subjects {
        let comparisons = try await subject().filter { one in
            comparison.map { one.name.lowercased().contains($0.lowercased()) } ?? true
        }
        guard let contestant = comparisons.flatMap(\.contestants).first(where: { $0.name == name })
        else { continue }
        _ = try await contestant.time(count)
        return
    }
}
