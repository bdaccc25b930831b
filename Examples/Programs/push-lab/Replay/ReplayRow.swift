import PushCore
import TerminalIO

/// What a line says came of something, in words that can be compared.
struct ReplayWords: Hashable {
    let text: String

    init(_ line: CaptureReading.Line) {
        let members = line.members
        var words = [members["verdict"]?.string ?? "nothing"]
        for name in ["code", "why", "prompt", "resolution"] {
            if let word = members[name]?.string { words.append(word) }
        }
        for check in members["checks"]?.array ?? [] {
            words.append("\(check["check"]?.string ?? "") \(check["says"]?.string ?? "")")
        }
        text = printable(words.joined(separator: ", "))
    }
}

/// One line of a capture, and what came of playing it.
struct ReplayRow {
    enum Result: Hashable {
        case same(String)
        case differs(recorded: String, played: String)
        /// It can't be played, and why.
        case unplayed(String)
    }

    let vendor: String
    let line: Int
    let event: String
    let result: Result

    init(_ vendor: String, _ line: CaptureReading.Line, _ result: Result) {
        self.vendor = vendor
        self.line = line.number
        event = line.event
        self.result = result
    }

    init(
        _ vendor: String, _ line: CaptureReading.Line, _ recorded: ReplayWords,
        _ played: ReplayWords?
    ) {
        self.init(
            vendor, line,
            recorded == played
                ? .same(recorded.text)
                : .differs(recorded: recorded.text, played: played?.text ?? "nothing came"))
    }

    /// For a person.
    var text: String {
        let place = "line \(line)  \(vendor)  \(printable(event))  "
        return switch result {
        case .same(let words): place + "same: \(words)"
        case .differs(let recorded, let played):
            place + "differs: \(recorded); here \(played)"
        case .unplayed(let why): place + "not played: \(printable(why))"
        }
    }

    /// For a script.
    var json: JSON {
        var members: JSON.Object = [
            "line": .number(.init(Int64(line))), "vendor": .string(vendor),
            "event": .string(event),
        ]
        switch result {
        case .same(let words):
            members["result"] = "same"
            members["recorded"] = .string(words)
        case .differs(let recorded, let played):
            members["result"] = "differs"
            members["recorded"] = .string(recorded)
            members["played"] = .string(played)
        case .unplayed(let why):
            members["result"] = "not-played"
            members["why"] = .string(printable(why))
        }
        return .object(members)
    }
}
