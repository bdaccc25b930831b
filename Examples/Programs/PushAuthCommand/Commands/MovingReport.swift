import PushCore
import TerminalIO

/// What became of an enrollment that was to leave, or that arrived.
struct MovingReport: Report {
    let enrollment: Enrollment

    /// A word for people and scripts.
    let result: String

    /// Why it isn't in the file, or wasn't taken.
    let why: String?

    /// What the command exits with for it.
    let status: ExitStatus

    init(_ entry: EnrollmentExport.Entry) {
        enrollment = entry.enrollment
        switch entry.result {
        case .copied: (result, why, status) = ("copied", nil, .done)
        case .moved: (result, why, status) = ("moved", nil, .done)
        case .notExportable(let reason): (result, why, status) = ("not-exportable", reason, .done)
        case .failed(let error):
            (result, why, status) = ("failed", error.reason, ExitStatus(error.code))
        @unknown default: (result, why, status) = ("unknown", nil, .failed)
        }
    }

    init(_ imported: ImportedEnrollment) {
        switch imported.result {
        case .taken(let taken):
            enrollment = taken
            (result, why, status) = ("taken", nil, .done)
        case .known:
            enrollment = imported.enrollment
            (result, why, status) = ("known", nil, .done)
        case .left(let error):
            enrollment = imported.enrollment
            (result, why, status) = ("left", error.reason, ExitStatus(error.code))
        @unknown default:
            enrollment = imported.enrollment
            (result, why, status) = ("unknown", nil, .failed)
        }
    }

    /// What a command exits with for all of them.
    static func status(of entries: [EnrollmentExport.Entry]) -> ExitStatus {
        entries.map { MovingReport($0).status }.first { $0 != .done } ?? .done
    }

    var subject: Subject? { Subject(enrollment) }

    var json: JSON {
        var object: JSON.Object = ["result": .string(result)]
        object["why"] = why.map(JSON.string)
        return .object(object)
    }

    func text(for terminal: Terminal) -> String {
        let who = [enrollment.issuer, enrollment.account].compactMap { $0 }
            .filter { !$0.isEmpty }.map(printable).joined(separator: " ")
        let words = [
            Abbreviation(enrollment.id).text,
            terminal.colored(result, status == .done && why == nil ? .green : .yellow),
            enrollment.id.provider.rawValue, who.isEmpty ? printable(enrollment.id.name) : who,
        ].joined(separator: "  ")
        return why.map { words + "\n  " + printable($0, limit: 1000) } ?? words
    }
}

extension EnrollmentExport.Result {
    /// Whether it is, or would be, of no use here any more.
    var moves: Bool { if case .moved = self { true } else { false } }

    /// Whether it is, or would be, in the file.
    var leaves: Bool {
        switch self {
        case .copied, .moved: true
        case .notExportable, .failed: false
        @unknown default: false
        }
    }
}
