import Foundation
import PushForgeRockSimulator
import PushPlusAuth
import PushPlusAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import PushCore
@testable import push_lab

/// That every line of `--json` says when and about whom, and that the schema says what it may say.
/// All other tests that read such lines check them against it as well.
@Suite(.timeLimit(.minutes(3))) struct `the lines of --json` {
    private let enrollment = Enrollment(
        id: .init("mechanism", of: "acme"), issuer: "Bank", account: "jane", host: "bank.example",
        state: .active, created: Date(timeIntervalSince1970: 1_790_000_000))

    private var id: Challenge.ID { .init("1", of: enrollment.id) }

    /// An outcome of each kind: the compiler shows that a new one is missing.
    private static func outcome(after outcome: Outcome) -> Outcome? {
        switch outcome {
        case .delivered: .code("1", message: "Hello")
        case .code: .notTaken(.init(.wrongChoice, mayRetry: true, attemptsLeft: 2))
        case .notTaken(let refusal):
            refusal.mayRetry ? .notTaken(.init(.other, mayRetry: false)) : .expired
        case .expired: .answeredElsewhere
        case .answeredElsewhere: .cancelled
        case .cancelled: .ended
        case .ended: .verifyAgain
        case .verifyAgain: .unknown("Nobody knows.")
        case .unknown: nil
        @unknown default: nil
        }
    }

    /// Each reason why a challenge is over, likewise.
    private static func reason(after reason: Withdrawal.Reason) -> Withdrawal.Reason? {
        switch reason {
        case .elsewhere: .cancelled
        case .cancelled: .finished
        case .finished: .expired
        case .expired: .unknown
        case .unknown: nil
        @unknown default: nil
        }
    }

    private let outcomes = Array(sequence(first: Outcome.delivered, next: Self.outcome(after:)))

    /// Challenges that wait for a person, with all that one may have.
    private func questions() async throws -> [ChallengeReport] {
        let simulator = PlusAuthSimulator()
        var configuration = PlusAuth.Configuration()
        configuration.keyAlgorithm = .es256
        let phone = try await phone(at: simulator) { [configuration] in
            PlusAuth(configuration: configuration, in: $0)
        }
        _ = try await simulator.startLogin(of: "jane", asking: .confirm)
        for push in await simulator.takePushes() { _ = try await phone.receive(push.message()) }
        let record = try #require(try await phone.unfinishedRecords().first)
        let origin = Challenge.Origin(
            address: "203.0.113.7", place: Challenge.Place(latitude: 41, longitude: 29),
            agent: "Firefox", application: "Shop")
        return [Challenge.Prompt.choose(["12", "34"]), .enter(digits: 2)].map { prompt in
            let challenge = Challenge(
                for: record.notice, prompt: prompt,
                content: .init(fields: [.init("To", "Acme")], origin: origin),
                verification: [[.pin]])
            return ChallengeReport(record: record, challenge: challenge)
        }
    }

    /// Events of each kind, with all members that one may have.
    private func events() async throws -> [ListenEvent] {
        let push = IncomingPush(message: PushMessage(fcm: [:]), intake: "fcm")
        let events: [ListenEvent] = [
            .listening(
                ["stdin": [:], "http": ["url": "http://127.0.0.1:1/push"]], poll: 5,
                metrics: "http://127.0.0.1:2"),
            .push(push, .taken(1), Subject(id)), .push(push, .foreign),
            .push(push, .refused(.untrusted), Subject(ProviderID(rawValue: "acme"))),
            .push(push, .gone), .push(push, .dropped(.expired)),
            .answered(
                OutcomeReport(id: id, resolution: .approve, outcome: .delivered), rule: "all"),
            .ignored(id, rule: "all"), .withdrawn(id, .expired), .enrollment(enrollment),
            .incompatible(PushEvent.Incompatible(id, kind: "hologram")),
            .inbox(enrollment.id, InboxMessage(id: "7", subject: "Hello", isRead: false)),
            .failed(Failure(.network, "No.", advice: nil), id), .failed(Failure(.store, "No.")),
        ]
        let question = try #require(try await questions().first)
        return events + [.question(question)]
    }

    /// Reports of each shape, with all members that one may have.
    private func reports() async throws -> [String: [any Report]] {
        var comparing = enrollment
        comparing.state = .pending(.comparison(code: "12"))
        comparing.guardPolicy = .deviceOwner
        return [
            "enrollmentShape": [
                EnrollmentReport(enrollment: comparing, token: .current, isConfigured: false)
            ],
            "challengeShape": try await questions(),
            "answerShape": outcomes.map {
                OutcomeReport(id: id, resolution: .approve, outcome: $0)
            },
            "removal": [RemovalReport(enrollment: enrollment, isTold: false, next: "Tell it.")],
            "line": [
                EnrolledLine(1, .enrolled, comparing), EnrolledLine(2, duplicateOf: 1),
                EnrolledLine(3, PushError(.over, "Over."), of: nil),
            ],
            "check": [DoctorCheck.warning("store", "It is full.", "Make room.")],
        ]
    }

    private func shape(_ name: String) throws -> JSON {
        try #require(try OutputSchema().root["$defs"]?[name])
    }

    private func described() throws -> [String: JSON] {
        let events = try #require(try shape("event")["anyOf"]?.array)
        let named = events.map { ($0["properties"]?["event"]?["const"]?.string ?? "", $0) }
        #expect(Set(named.map(\.0)).count == events.count)
        return Dictionary(named) { first, _ in first }
    }

    @Test func `each event is in the schema, and the schema has no other and no more of one`()
        async throws
    {
        let schema = try OutputSchema()
        let about = schema.paths(in: try shape("about"))
        var said: [String: Set<String>] = [:]
        for event in try await events() {
            let json = Reporter.json(of: event)
            #expect(schema.problems(of: json) == [], "\(event.name)")
            let members = (json.object?.members ?? []).map { "/" + $0.name }
            said[event.name, default: []].formUnion(members)
        }
        let described = try described()
        #expect(Set(described.keys) == Set(said.keys))
        for (name, event) in described {
            let members = (event["properties"]?.object?.members ?? []).map { "/" + $0.name }
            #expect(
                Set(members).subtracting(about) == said[name]?.subtracting(about), "\(name)")
        }
    }

    @Test func `each shape has the members that are said, and no other`() async throws {
        let schema = try OutputSchema()
        let about = schema.paths(in: try shape("about"))
        for (name, reports) in try await reports() {
            var said: Set<String> = []
            for report in reports { said.formUnion(Reporter.json(of: report).paths()) }
            let described = schema.paths(in: try shape(name))
            #expect(described.subtracting(about) == said.subtracting(about), "\(name)")
        }
    }

    private func words(_ shape: JSON?, _ member: String) -> Set<String> {
        Set((shape?["properties"]?[member]?["enum"]?.array ?? []).compactMap(\.string))
    }

    @Test func `the schema has each word for how something stands, and no other`() throws {
        let answers = outcomes.flatMap { outcome in
            [Resolution.approve, .deny(.unexpected)].map { outcome.word(for: $0) }
        }
        #expect(try words(shape("answerShape"), "outcome") == Set(answers))
        let reasons = Array(
            sequence(first: Withdrawal.Reason.elsewhere, next: Self.reason(after:)))
        #expect(try words(described()["withdrawn"], "why") == Set(reasons.map(\.rawValue)))
        let states: [ChallengeRecord.State] = [
            .open, .decided(.approve), .decided(.deny(.unexpected)),
        ]
        let others = answers + reasons.map(\.rawValue)
        #expect(try words(shape("challengeShape"), "state") == Set(states.map(\.word) + others))
        let enrolled: [Enrollment.State] = [
            .active, .pending(.unconfirmed), .blocked("policy"), .needsReenrollment, .movedAway,
        ]
        for name in ["enrollmentShape", "line"] {
            // What a later version of the core may say besides is unknown.
            #expect(try words(shape(name), "state") == Set(enrolled.map(\.word) + ["unknown"]))
        }
        #expect(
            try words(shape("line"), "status") == Set(EnrolledLine.Status.allCases.map(\.rawValue)))
    }

    @Test func `the guide has every event of the schema with its members, and no other`() throws {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../docs/guides/pushauth.md").standardizedFileURL
        let section = try String(contentsOf: file, encoding: .utf8)
            .components(separatedBy: "\n### Events\n")[1].components(separatedBy: "\n### ")[0]
        var rows: [String: Substring] = [:]
        for row in section.split(separator: "\n") {
            guard let name = row.firstMatch(of: /^\| `([a-z]+)` \|([^|]*)\|/), name.1 != "event"
            else { continue }
            rows[String(name.1)] = name.2
        }
        let described = try #require(
            try OutputSchema().root["$defs"]?["event"]?["anyOf"]?.array)
        #expect(rows.count == described.count)
        for event in described {
            let members = event["properties"]?.object?.members.map(\.name) ?? []
            let name = try #require(event["properties"]?["event"]?["const"]?.string)
            let row = try #require(rows[name], "\(name)")
            for member in members where member != "event" && member != "time" {
                #expect(row.contains("`\(member)`"), "\(name): \(member)")
            }
        }
    }

    @Test func `the guide has what doctor looks at and the forms of inspect as the schema has`()
        throws
    {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../docs/guides/pushauth.md").standardizedFileURL
        let guide = try String(contentsOf: file, encoding: .utf8)
        let schema = try OutputSchema().root
        for (command, kind, member) in [
            ("doctor", "check", "check"), ("inspect", "inspection", "form"),
        ] {
            let row = try #require(
                guide.split(separator: "\n").last { $0.hasPrefix("| `\(command)` |") })
            let words = schema["$defs"]?[kind]?["properties"]?[member]?["enum"]?.array
            try #require(words?.isEmpty == false)
            for word in (words ?? []).compactMap(\.string) {
                #expect(row.contains("`\(word)`"), "\(command): \(word)")
            }
        }
    }

    @Test(arguments: [
        #"{"event":"foreign","intake":"fcm"}"#,
        #"{"event":"foreign","time":"yesterday","intake":"fcm"}"#,
        #"{"event":"foreign","time":"2026-11-21T12:08:34Z","intake":"post"}"#,
        #"{"event":"foreign","time":"2026-11-21T12:08:34Z","intake":"fcm","more":1}"#,
        #"{"event":"foreign","time":"2026-11-21T12:08:34Z","intake":["fcm"]}"#,
        #"{"event":"telepathy","time":"2026-11-21T12:08:34Z"}"#, "{}", "[]",
        #"{"time":"2026-11-21T12:08:34Z","id":"0011","outcome":"denied"}"#,
        #"{"check":"horoscope","status":"ok","text":"Favourable."}"#,
        #"{"check":"store","status":"fine","text":"It opens."}"#, #"{"check":"store"}"#,
        #"{"line":1,"form":"smoke"}"#,
        #"{"line":1,"form":"json","providers":[{"provider":"acme"}]}"#,
    ])
    func `what isn't in the schema is noticed`(line: String) throws {
        #expect(try !OutputSchema().problems(of: try JSON(parsing: line)).isEmpty)
    }

    @Test func `each event of a login says when, whose and about which challenge`() async throws {
        let simulator = ForgeRockSimulator(.init(issuer: "Bank"))
        try await PushAuthSite.run(with: simulator) { site in
            let enrolled = try await site.enroll(with: simulator, as: "jane")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            let lines = await simulator.takePushes()
                .map { String(decoding: $0.payload, as: UTF8.self) + "\n" }.joined()
            let asked = try await site.pushauth("listen", "--stdin", "--json", input: lines)
            let question = try #require(try asked.lines.last)
            let policy = try site.file("policy.toml", "[[rule]]\naction = \"approve\"\n")
            let result = try await site.pushauth(
                "listen", "--stdin", "--json", "--policy", policy, "--yes",
                input: lines)
            let events = try asked.lines.dropFirst() + result.lines.dropFirst()
            #expect(events.map { $0["event"] } == ["received", "question", "received", "answered"])
            let challenge = events.last?["answer"]?["id"]
            #expect(question["question"]?["id"] == challenge)
            for event in events {
                #expect(event["provider"] == "forgerock" && event["user"] == "jane")
                #expect(event["issuer"] == "Bank" && event["challenge"] == challenge)
                #expect(event["enrollment"] == enrolled["id"])
            }
            // The same names find the rest.
            for command in [["list"], ["show", challenge?.string ?? "", "--closed"]] {
                let line = try await site.pushauth(command + ["--json"]).json
                #expect(line["user"] == "jane" && line["enrollment"] == enrolled["id"])
                #expect(line["time"] != nil && line["provider"] == "forgerock")
            }
        }
    }
}
