import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// That every line of `--json` says when and about whom, and that the schema says what it may say. All
/// other tests that read such lines check them against it as well.
@Suite(.timeLimit(.minutes(3))) struct `the lines of --json` {
    private let enrollment = Enrollment(
        id: .init("mechanism", of: "acme"), issuer: "Bank", account: "jane", host: "bank.example",
        state: .active, created: Date(timeIntervalSince1970: 1_790_000_000))

    private var id: Challenge.ID { .init("1", of: enrollment.id) }

    /// One event of each kind, but for `question`, which takes a store.
    private func events() throws -> [ListenEvent] {
        let push = IncomingPush(message: PushMessage(fcm: [:]), intake: "fcm")
        return [
            .listening(["stdin": [:], "http": ["url": "http://127.0.0.1:1/push"]], poll: 5),
            .push(push, .taken(1), Subject(id)), .push(push, .foreign),
            .push(push, .refused(.untrusted), Subject(ProviderID(rawValue: "acme"))),
            .push(push, .dropped(.expired)),
            .answered(
                OutcomeReport(id: id, resolution: .approve, outcome: .delivered), rule: "all"),
            .ignored(id, rule: "all"), .withdrawn(id, .expired), .enrollment(enrollment),
            .incompatible(IncompatibleChallenge(id, kind: "hologram")),
            .inbox(enrollment.id, InboxMessage(id: "7", subject: "Hello", isRead: false)),
            .failed(Failure(.network, "No.", advice: nil), id), .failed(Failure(.store, "No.")),
        ]
    }

    @Test func `each event is in the schema, and the schema has no other`() throws {
        let schema = try OutputSchema()
        let events = try events()
        for event in events {
            let problems = schema.problems(of: Reporter.json(of: event))
            #expect(problems.isEmpty, "\(event.name): \(problems)")
        }
        let described = schema.root["$defs"]?["event"]?["anyOf"]?.array?
            .compactMap { $0["properties"]?["event"]?["const"]?.string }
        #expect(Set(described ?? []) == Set(events.map(\.name) + ["question"]))
        #expect(described?.count == Set(described ?? []).count)
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
