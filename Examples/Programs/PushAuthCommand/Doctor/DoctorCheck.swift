import PushCore
import TerminalIO

/// One thing that was looked at.
struct DoctorCheck: Report {
    enum Status: String {
        case ok, warning, problem
    }

    /// What was looked at, such as `store`: one of a fixed set, for scripts.
    let name: String
    let status: Status
    let text: String

    /// What to do about it.
    let next: String?

    static func ok(_ name: String, _ text: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .ok, text: text, next: nil)
    }

    static func warning(_ name: String, _ text: String, _ next: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .warning, text: text, next: next)
    }

    static func problem(_ name: String, _ text: String, _ next: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .problem, text: text, next: next)
    }

    var json: JSON {
        var object: JSON.Object = [
            "check": .string(name), "status": .string(status.rawValue), "text": .string(text),
        ]
        object["next"] = next.map(JSON.string)
        return .object(object)
    }

    func text(for terminal: Terminal) -> String {
        let color: Terminal.Color =
            switch status {
            case .ok: .green
            case .warning: .yellow
            case .problem: .red
            }
        let words = "\(status.rawValue)       ".prefix(9)
        let line = "\(terminal.colored(String(words), color))\(name): \(printable(text))"
        return line + (next.map { "\n         \(printable($0))" } ?? "")
    }
}
