import Foundation
import PushCore
import TerminalIO

/// What came of a soak.
struct SoakReport: Sendable {
    let seed: UInt64
    var kills = SoakTally()
    var pairs = SoakTally()
    var violations: [Violation] = []
    var wasInterrupted = false
    var duration: Duration = .zero
    /// Where everything was left for a look; `nil` if it was taken away.
    var kept: String?

    /// What was counted and violated, and a last line that sums it up.
    func text(for terminal: Terminal) -> String {
        var lines: [String] = []
        for (title, tally) in [("one process, killed", kills), ("two processes, one store", pairs)]
        where tally.counts.contains(where: { $0.count > 0 }) {
            lines.append(terminal.colored(title, .bold))
            for (name, count) in tally.counts {
                lines.append("  " + Self.padded("\(count)", to: 6) + "  " + name)
            }
        }
        for violation in violations.prefix(10) {
            lines.append(terminal.colored("VIOLATION: \(violation)", .red))
        }
        if violations.count > 10 { lines.append("… and \(violations.count - 10) more") }
        if wasInterrupted { lines.append("Interrupted; this is what came of it so far.") }
        if let kept { lines.append("Store, log and errors are in \(kept)") }
        let seconds = Int((duration / .seconds(1)).rounded())
        let summary =
            "\(kills["kills"]) kills, \(pairs["rounds"]) rounds, \(violations.count) violations,"
            + " seed \(seed), \(seconds) s"
        lines.append(terminal.colored(summary, violations.isEmpty ? .green : .red))
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    /// One object; `violations` is an array of texts.
    var json: String {
        var members: JSON.Object = [
            "seed": .string("\(seed)"), "kills": kills.json, "pairs": pairs.json,
            "violations": .array(violations.map { .string("\($0)") }),
            "interrupted": .bool(wasInterrupted),
            "milliseconds": .number(JSON.Number(Int64(duration / .milliseconds(1)))),
        ]
        members["kept"] = kept.map(JSON.string)
        return JSON.object(members).text
    }
}
