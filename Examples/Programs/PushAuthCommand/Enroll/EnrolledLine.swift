import PushCore
import TerminalIO

/// What came of one line of a file of invitations. Nothing of the invitation itself is in it.
struct EnrolledLine: Report {
    enum Status: String, CaseIterable {
        /// It was enrolled just now.
        case enrolled
        /// An earlier run enrolled it.
        case already
        /// An earlier line has the same text.
        case duplicate
        /// The vendor may have taken it: its reply was lost.
        case unconfirmed
        case failed
    }

    let line: Int
    let status: Status
    let subject: Subject?
    private var members = JSON.Object()
    private var words = ""

    init(_ line: Int, _ status: Status, _ enrollment: Enrollment) {
        self.line = line
        self.status = status
        subject = Subject(enrollment)
        members["state"] = .string(enrollment.state.word)
        members["compare"] = enrollment.state.comparison.map(JSON.string)
        words = EnrollmentReport(enrollment: enrollment).text(for: .error)
    }

    init(_ line: Int, duplicateOf first: Int) {
        self.line = line
        status = .duplicate
        subject = Subject()
        members["of"] = .number(.init(Int64(first)))
        words = "the same as line \(first)"
    }

    init(_ line: Int, _ error: any Error, of offer: Invitation.Offer?) {
        self.line = line
        status = .failed
        subject = offer.map(Subject.init) ?? Subject()
        add(error)
    }

    /// Says why it isn't enrolled for certain.
    mutating func add(_ error: any Error) {
        let failure = Failure(error)
        members["error"] = .string((error as? PushError).map { "\($0.code)" } ?? "failed")
        members["why"] = .string(failure.text)
        words += (words.isEmpty ? "" : ": ") + printable(failure.text)
    }

    /// Whether the account is enrolled for certain.
    var isGood: Bool { [.enrolled, .already, .duplicate].contains(status) }

    var json: JSON {
        .object(
            JSON.Object(
                [
                    ("line", .number(.init(Int64(line)))), ("status", .string(status.rawValue)),
                ] + members.members.map { ($0.name, $0.value) }))
    }

    func text(for terminal: Terminal) -> String { "line \(line)  \(status.rawValue)  \(words)" }
}
