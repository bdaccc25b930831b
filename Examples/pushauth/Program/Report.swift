import PushCore
import TerminalIO

/// Something that is shown to a person as lines, or to a script as one JSON object.
protocol Report {
    /// For scripts: documented in the guide, and only ever added to.
    var json: JSON { get }

    /// For a person; every text of a stranger is made harmless.
    func text(for terminal: Terminal) -> String
}

/// Writes reports to standard output.
struct Reporter {
    let isJSON: Bool

    func show(_ report: some Report) {
        let terminal = Terminal.output
        terminal.write((isJSON ? report.json.text : report.text(for: terminal)) + "\n")
    }

    /// Shows each on a line of its own as JSON (NDJSON), or as a person reads a list.
    func show(_ reports: [some Report], none: String) {
        guard !reports.isEmpty else {
            if !isJSON { Terminal.error.write(none + "\n") }
            return
        }
        for report in reports { show(report) }
    }

    /// Says something that only a person needs.
    func tell(_ text: String) {
        Terminal.error.write(text + "\n")
    }
}
