import Foundation
import PushCore
import PushPlatform
import TerminalIO

/// Something that is shown to a person as lines, or to a script as one JSON object.
protocol Report {
    /// For scripts: documented in the guide, and only ever added to.
    var json: JSON { get }

    /// What it is about; to a script, that is said besides, and when. `nil` if it is about nothing that
    /// has an owner.
    var subject: Subject? { get }

    /// For a person; every text of a stranger is made harmless.
    func text(for terminal: Terminal) -> String
}

extension Report {
    var subject: Subject? { nil }
}

/// Writes reports to standard output.
struct Reporter {
    let isJSON: Bool

    /// The fleet's device that it is about, if it is about one.
    var device: String?

    /// Whether a person reads of which device each line is; scripts do in any case.
    var showsDevice = false

    func show(_ report: some Report) {
        guard isJSON else {
            let of = showsDevice ? device.map { "\($0)  " } ?? "" : ""
            return print(of + report.text(for: .output) + "\n")
        }
        var json = Self.json(of: report)
        if let device, report.subject != nil, var object = json.object {
            object["device"] = .string(device)
            json = .object(object)
        }
        print(json.line + "\n")
    }

    /// A report with the members that all have. What it says of itself stands as it is.
    static func json(of report: some Report, at now: Date = Date()) -> JSON {
        guard let subject = report.subject, var object = report.json.object else {
            return report.json
        }
        let common = [("time", JSON.string(timestamp(now)))] + subject.members.members
        for (name, value) in common where object[name] == nil { object[name] = value }
        return .object(object)
    }

    /// Writes to standard output, or ends the process: whoever waits for a result must not take
    /// silence for one. What was done is in the store, and what was begun is finished by the next
    /// command, as after any other sudden end.
    func print(_ text: String) {
        do {
            try Terminal.output.writeAll(text)
        } catch {
            Failure(
                .failed, "Standard output can't be written: \(error.cause).", advice: error.advice
            ).report()
            exit(ExitStatus.failed.rawValue)
        }
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

extension JSON {
    /// Its text on one line, in which nothing is left that a terminal would obey or that turns the
    /// direction of what follows: JSON itself lets all but the first 32 characters stand.
    var line: String {
        let text = text
        // Nothing in ASCII but its controls does so, and most lines have nothing else.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            guard scalar.isHarmful else {
                line.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return line
    }
}
