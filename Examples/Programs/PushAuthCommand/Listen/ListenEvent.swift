import PushCore
import TerminalIO

/// Something that happened while listening: a line for a person, an object for a script.
struct ListenEvent: Report {
    let name: String

    /// What it is about.
    var about: Subject
    private let members: JSON.Object
    private let line: String
    private let color: Terminal.Color

    private init(
        _ name: String, _ about: Subject, _ members: JSON.Object, _ line: String,
        _ color: Terminal.Color = .gray
    ) {
        self.name = name
        self.about = about
        self.members = members
        self.line = line
        self.color = color
    }

    var subject: Subject? { about }

    var json: JSON {
        .object(
            JSON.Object([("event", .string(name))] + members.members.map { ($0.name, $0.value) }))
    }

    func text(for terminal: Terminal) -> String {
        "\(terminal.colored(name, color))  \(line)"
    }

    /// It takes pushes now, asks the vendors every so many seconds, or both.
    ///
    /// - Parameters:
    ///   - intakes: Where pushes are taken.
    ///   - poll: How many seconds after one question the vendors are asked again.
    ///   - metrics: The origin at which counters are served.
    /// - Returns: The event.
    static func listening(
        _ intakes: JSON.Object, poll: Int? = nil, metrics: String? = nil
    ) -> ListenEvent {
        var members: JSON.Object = ["intakes": .object(intakes)]
        members["poll"] = poll.map { .number(.init(Int64($0))) }
        var places = intakes.members.map { name, value in
            "\(name) \(value["url"]?.string ?? "")".trimmed
        }
        if let poll { places.append("asks every \(poll) seconds") }
        if let url = metrics.map({ $0 + "/metrics" }) {
            members["metrics"] = ["url": .string(url)]
            places.append("metrics \(url)")
        }
        return ListenEvent(
            "listening", Subject(), members, places.joined(separator: ", "), .bold)
    }

    /// A push came, and this is what was made of it.
    static func push(
        _ push: IncomingPush, _ verdict: PushVerdict, _ about: Subject = Subject()
    ) -> ListenEvent {
        let intake: JSON.Object = ["intake": .string(push.intake)]
        switch verdict {
        case .taken(let count):
            return ListenEvent(
                "received", about, intake.adding("events", count.map { .number(.init(Int64($0))) }),
                "from \(push.intake)")
        case .foreign:
            return ListenEvent(
                "foreign", about, intake, "from \(push.intake): no provider knows it")
        case .refused(let code):
            return ListenEvent(
                "refused", about, intake.adding("why", .string("\(code)")),
                "from \(push.intake): \(code)", .red)
        case .gone:
            return ListenEvent(
                "refused", about, intake.adding("why", .string("unregistered")),
                "from \(push.intake): its device was removed", .red)
        case .dropped(let drop):
            return ListenEvent(
                "dropped", about, intake.adding("why", .string(drop.rawValue)),
                "from \(push.intake): \(drop.rawValue)")
        }
    }

    /// A challenge waits for a person.
    static func question(_ report: ChallengeReport) -> ListenEvent {
        let id = Abbreviation(report.record.id).text
        let approval = report.challenge?.prompt.approval(of: id).map { "`\($0)` or " } ?? ""
        return ListenEvent(
            "question", Subject(report.record.id), ["question": report.json],
            report.text(for: .output) + "\n  Answer it with \(approval)`pushauth deny \(id)`.",
            .yellow)
    }

    /// A challenge was answered, here or by another process of this device.
    static func answered(_ report: OutcomeReport, rule: String?) -> ListenEvent {
        var members: JSON.Object = ["answer": report.json]
        members["rule"] = rule.map(JSON.string)
        let by = rule.map { " by '\(printable($0))'" } ?? ""
        return ListenEvent(
            "answered", Subject(report.id), members,
            "\(Abbreviation(report.id).text)  \(report.text(for: .output))\(by)", .green)
    }

    /// A rule says that nobody is asked.
    static func ignored(_ id: Challenge.ID, rule: String) -> ListenEvent {
        ListenEvent(
            "ignored", Subject(id), ["id": .string(Abbreviation(id).text), "rule": .string(rule)],
            "\(Abbreviation(id).text) by '\(printable(rule))'")
    }

    /// A challenge is over without an answer from here.
    static func withdrawn(_ id: Challenge.ID, _ reason: Withdrawal.Reason) -> ListenEvent {
        ListenEvent(
            "withdrawn", Subject(id),
            ["id": .string(Abbreviation(id).text), "why": .string(reason.rawValue)],
            "\(Abbreviation(id).text)  \(reason.rawValue)")
    }

    /// An enrollment changed.
    static func enrollment(_ enrollment: Enrollment) -> ListenEvent {
        let report = EnrollmentReport(enrollment: enrollment)
        return ListenEvent(
            "enrollment", Subject(enrollment), ["changed": report.json], report.text(for: .output))
    }

    /// A genuine message that is newer than this program.
    static func incompatible(_ incompatible: PushEvent.Incompatible) -> ListenEvent {
        ListenEvent(
            "incompatible", Subject(incompatible.id),
            [
                "id": .string(Abbreviation(incompatible.id).text),
                "kind": .string(incompatible.kind),
            ], "\(printable(incompatible.kind)): a newer version is needed", .yellow)
    }

    /// A message waits in an inbox.
    static func inbox(_ enrollment: Enrollment.ID, _ message: InboxMessage) -> ListenEvent {
        ListenEvent(
            "inbox", Subject(enrollment),
            [
                "message": .string(message.id), "subject": .string(message.subject),
            ],
            "\(Abbreviation(enrollment).text)  \(printable(message.subject))"
                + " (\(printable(message.id, limit: 64)))")
    }

    /// Something failed; listening goes on.
    static func failed(
        _ failure: Failure, _ id: Challenge.ID? = nil, of enrollment: Enrollment.ID? = nil
    ) -> ListenEvent {
        var members: JSON.Object = [
            "why": .string(failure.text), "status": .number(.init(Int64(failure.status.rawValue))),
        ]
        members["id"] = id.map { .string(Abbreviation($0).text) }
        let about = (id?.enrollment ?? enrollment).map { Subject($0, id) } ?? Subject()
        return ListenEvent("failed", about, members, printable(failure.text), .red)
    }
}

extension Reporter {
    /// To a script, that pushes can come is an event like the others; to a person, it says only
    /// that all is set.
    func announce(_ listening: ListenEvent) {
        if isJSON {
            show(listening)
        } else {
            tell(listening.text(for: .error))
        }
    }
}

extension Challenge.Prompt {
    /// The command that says yes; `nil` where none can.
    func approval(of id: String) -> String? {
        switch self {
        case .approve: "pushauth approve \(id)"
        case .choose: "pushauth choose \(id) NUMBER"
        case .enter: "pushauth enter \(id) DIGITS"
        case .denyOnly: nil
        @unknown default: nil
        }
    }
}

extension JSON.Object {
    fileprivate func adding(_ name: String, _ value: JSON?) -> JSON.Object {
        var object = self
        object[name] = value
        return object
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
