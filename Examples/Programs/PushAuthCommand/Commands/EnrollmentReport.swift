import PushCore
import TerminalIO

/// An enrollment as a line, or as JSON.
struct EnrollmentReport: Report {
    let enrollment: Enrollment
    /// Whether the vendor has the newest device token; `nil` where that isn't known.
    var token: DeviceToken.State?
    /// Whether the configuration has its provider: nothing can be done with it otherwise.
    var isConfigured = true
    /// Whether a person sees more of it than a line.
    var isWhole = false

    var subject: Subject? { Subject(enrollment) }

    var json: JSON {
        var object: JSON.Object = [
            "id": .string(Abbreviation(enrollment.id).text),
            "provider": .string(enrollment.id.provider.rawValue),
            "name": .string(enrollment.id.name),
            "state": .string(enrollment.state.word),
            "created": .string(timestamp(enrollment.created)),
        ]
        object["issuer"] = enrollment.issuer.map(JSON.string)
        object["account"] = enrollment.account.map(JSON.string)
        object["host"] = enrollment.host.map(JSON.string)
        object["compare"] = enrollment.state.comparison.map(JSON.string)
        object["guard"] = (enrollment.guardPolicy?.rawValue).map(JSON.string)
        object["deviceToken"] = (token?.word).map(JSON.string)
        if !isConfigured { object["configured"] = false }
        return .object(object)
    }

    func text(for terminal: Terminal) -> String {
        let who = [enrollment.issuer, enrollment.account].compactMap { $0 }
            .filter { !$0.isEmpty }.map(printable).joined(separator: " ")
        let color: Terminal.Color = enrollment.state == .active ? .green : .yellow
        var text = [
            Abbreviation(enrollment.id).text,
            terminal.colored(enrollment.state.word, color),
            enrollment.id.provider.rawValue,
            who.isEmpty ? printable(enrollment.id.name) : who,
        ].joined(separator: "  ")
        if !isConfigured { text += terminal.colored("  not configured", .yellow) }
        if let code = enrollment.state.comparison {
            text += "\nCompare this code with what the other side shows: \(printable(code))"
        }
        return isWhole ? text + details : text
    }

    private var server: String? {
        enrollment.host.map { $0 + (enrollment.port == 443 ? "" : ":\(enrollment.port)") }
    }

    /// The lines below the first.
    private var details: String {
        let lines = [
            ("Name", enrollment.id.name), ("Server", server),
            ("Enrolled", timestamp(enrollment.created)), ("Device token", token?.sentence),
            ("Guard", enrollment.guardPolicy?.rawValue),
        ]
        return lines.compactMap { label, value in
            value.map { "\n  \(label): \(printable($0))" }
        }.joined()
    }
}

/// An enrollment that was removed, and whether the vendor knows.
struct RemovalReport: Report {
    let enrollment: Enrollment
    let isTold: Bool
    /// What to do at the vendor; `nil` if nothing is left to do there.
    let next: String?

    static let advice = "The vendor may not know of it: have it ended there, too."

    var subject: Subject? { Subject(enrollment) }

    var json: JSON {
        var object: JSON.Object = [
            "removed": .string(Abbreviation(enrollment.id).text), "vendorTold": .bool(isTold),
        ]
        object["next"] = next.map(JSON.string)
        return .object(object)
    }

    func text(for terminal: Terminal) -> String {
        let words = isTold ? "at the vendor and here" : "here; the vendor wasn't told"
        return "\(Abbreviation(enrollment.id).text)  removed \(words)"
            + (next.map { "\n" + $0 } ?? "")
    }
}

extension Enrollment.State {
    /// A word for people and scripts.
    var word: String {
        switch self {
        case .active: "active"
        case .blocked: "blocked"
        case .needsReenrollment: "ended"
        case .movedAway: "moved"
        case .pending: "pending"
        @unknown default: "unknown"
        }
    }

    /// The code to compare before the other side confirms.
    var comparison: String? {
        if case .pending(.comparison(let code)) = self { return code }
        return nil
    }
}

extension DeviceToken.State {
    /// The same for a person.
    fileprivate var sentence: String {
        switch self {
        case .current: "the vendor has the newest"
        case .waiting: "the vendor is to be told; `pushauth refresh` does so"
        case .unsupported: "none; the vendor takes none later on"
        @unknown default: word
        }
    }

    var word: String {
        switch self {
        case .current: "current"
        case .waiting: "waiting"
        case .unsupported: "none"
        @unknown default: "unknown"
        }
    }
}
