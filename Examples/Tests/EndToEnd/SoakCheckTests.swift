import Foundation
import PushCore
import PushPlatform
import TerminalIO
import Testing

@testable import push_lab

/// Each plants what must never happen, or what is allowed.
@Suite struct `The checks of a soak` {
    /// An answer to the login `l`, and the status it got; 0 for no reply.
    private typealias Step = (choice: Choice, status: Int)

    /// The server's log of some answers, each replied to before the next came.
    private func log(_ steps: [Step]) -> String {
        steps.enumerated().map { index, step in
            let request = ServerExchange.Request.answer(login: "l", step.choice)
            return arrival(index, request) + reply(index, step.status)
        }.joined()
    }

    private func arrival(_ number: Int, _ request: ServerExchange.Request) -> String {
        var line = request.json
        line["exchange"] = .number(JSON.Number(Int64(number)))
        return JSON.object(line).text + "\n"
    }

    private func reply(_ number: Int, _ status: Int) -> String {
        status == 0 ? "" : #"{"exchange":\#(number),"status":\#(status)}"# + "\n"
    }

    private func checks(_ log: String) -> SoakChecks {
        SoakChecks(ServerExchange.all(in: log))
    }

    private func login(
        _ acknowledged: [(Choice, String)] = [], kept: Set<Choice> = [], status: String = "approved"
    ) -> LoginFacts {
        var login = LoginFacts(id: "l", user: "jane", payload: "{}", shown: "34")
        login.names = .init(mechanism: "m", challenge: "c")
        login.acknowledged = acknowledged.map { .init(choice: $0, outcome: $1) }
        login.kept = kept
        login.status = status
        return login
    }

    private func snapshot(_ choice: Choice?, _ outcome: String?) -> StoreSnapshot {
        StoreSnapshot(rows: ["c": .init(choice: choice, outcome: outcome)])
    }

    // MARK: One decision

    @Test(arguments: [200, 503, 0])
    func `find another decision after one that may have been taken`(status: Int) {
        let checks = checks(log([(.approve, status), (.deny, 200)]))
        #expect(checks.doubledDecisions().map(\.promise) == [.oneDecision])
    }

    @Test func `find another decision after a repeat was refused and its first copy wasn't`() {
        let checks = checks(log([(.approve, 200), (.approve, 400), (.deny, 400)]))
        #expect(checks.doubledDecisions().map(\.promise) == [.oneDecision])
    }

    @Test func `find another decision that came before the first was refused`() {
        let first = ServerExchange.Request.answer(login: "l", .number("12"))
        let second = ServerExchange.Request.answer(login: "l", .number("34"))
        let checks = checks(
            arrival(1, first) + arrival(2, second) + reply(1, 400) + reply(2, 200))
        #expect(checks.doubledDecisions().map(\.promise) == [.oneDecision])
    }

    @Test func `allow repeats, and another number after a wrong one`() {
        let checks = checks(
            log([
                (.number("12"), 400), (.number("34"), 503), (.number("34"), 200),
                (.number("34"), 200),
            ]))
        #expect(checks.doubledDecisions().isEmpty)
    }

    @Test func `tell one login's decisions from another's`() {
        let approval = ServerExchange.Request.answer(login: "l", .approve)
        let denial = ServerExchange.Request.answer(login: "k", .deny)
        let checks = checks(
            arrival(1, approval) + reply(1, 200) + arrival(2, denial) + reply(2, 200))
        #expect(checks.doubledDecisions().isEmpty)
    }

    // MARK: Delivery

    @Test func `allow a decision that was acknowledged, kept and taken`() {
        let checks = checks(log([(.approve, 503), (.approve, 200)]))
        let login = login([(.approve, "unknown")], kept: [.approve])
        #expect(checks.lostDecisions([login], snapshot(.approve, "taken")).isEmpty)
    }

    @Test func `allow a wrong number whose repeat says nothing of the first copy`() {
        let checks = checks(log([(.number("12"), 400), (.number("12"), 400)]))
        let login = login(kept: [.number("12")], status: "waiting")
        #expect(checks.lostDecisions([login], snapshot(.number("12"), "unknown")).isEmpty)
    }

    @Test(arguments: ["taken", "may retry", "unknown"])
    func `find an acknowledged decision that the server never saw`(outcome: String) {
        let login = login([(.deny, outcome)])
        let found = checks(log([(.approve, 200)]))
            .lostDecisions([login], snapshot(.approve, "taken"))
        #expect(found.map(\.promise) == [.delivery])
    }

    @Test func `find a decision that was on disk and never came`() {
        let login = login(kept: [.approve, .deny])
        let found = checks(log([(.approve, 200)]))
            .lostDecisions([login], snapshot(.approve, "taken"))
        #expect(found.map(\.promise) == [.delivery])
    }

    @Test(arguments: [
        (Choice?.some(.approve), String?.none, 200, "approved"), (nil, nil, 200, "approved"),
        (.approve, "taken", 400, "approved"), (.approve, "taken", 200, "denied"),
        (.approve, "taken", 200, "waiting"), (.approve, "unknown", 200, "approved"),
        (.approve, "expired", 200, "approved"),
    ])
    func `find a ledger that ends otherwise than the server`(
        choice: Choice?, outcome: String?, reply: Int, status: String
    ) {
        let found = checks(log([(.approve, reply)]))
            .lostDecisions([login(status: status)], snapshot(choice, outcome))
        #expect(found.map(\.promise) == [.delivery])
    }

    // MARK: Enrollments, pushes, records

    @Test func `find a registered enrollment that isn't on disk, unless it was removed`() {
        let request = ServerExchange.Request.registration(mechanism: "m")
        let taken = checks(arrival(1, request) + reply(1, 200))
        #expect(taken.lostEnrollments(StoreSnapshot()).map(\.promise) == [.enrollment])
        #expect(taken.lostEnrollments(StoreSnapshot(), removed: ["m"]).isEmpty)
        let refused = checks(arrival(1, request) + reply(1, 503))
        #expect(refused.lostEnrollments(StoreSnapshot()).isEmpty)
    }

    @Test func `remember the end of a login that the store has no row of any more`() {
        let checks = checks(log([(.approve, 200)]))
        var login = login()
        #expect(checks.lostDecisions([login], StoreSnapshot()).map(\.promise) == [.delivery])
        login.end = .init(choice: .approve, outcome: "taken")
        #expect(checks.lostDecisions([login], StoreSnapshot()).isEmpty)
        let reopened = StoreSnapshot(rows: ["c": .init()])
        #expect(checks.lostDecisions([login], reopened).map(\.promise) == [.delivery])
    }

    @Test func `find a challenge that was new twice`() {
        var login = login()
        login.timesNew = 1
        #expect(SoakChecks.shownTwice([login]).isEmpty)
        login.timesNew = 2
        #expect(SoakChecks.shownTwice([login]).map(\.promise) == [.seenOnce])
    }

    @Test(arguments: ["claim/forgerock", "device", "installation"])
    func `find a record that was damaged on disk`(collection: String) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let store = SoakStore(in: directory.url)
        try await store.prepare()
        let record = Secret.Record(fields: [:], secrets: [Secret([1, 2, 3])])
        try await store.open().write(
            record.sealed, for: RecordKey(collection, "x"), replacing: nil)
        #expect(SoakChecks.damaged(try await store.snapshot()).isEmpty)

        let path = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
                .first { $0.contains("/r.") })
        let file = directory.url.appendingPathComponent(path)
        let bytes = try Data(contentsOf: file)
        let last = try #require(bytes.last)
        try (bytes.dropLast() + [last ^ 1]).write(to: file)
        let found = SoakChecks.damaged(try await store.snapshot())
        #expect(found == [Violation(.store, "\(collection)/x is damaged")])
    }

    @Test func `leave out a line that is only half written`() {
        let whole = log([(.approve, 200)])
        let torn = whole + String(log([(.deny, 200)]).prefix(20))
        #expect(ServerExchange.all(in: torn) == ServerExchange.all(in: whole))
    }

    // MARK: Report

    @Test func `show in the report what was violated, and where to look`() throws {
        var report = SoakReport(seed: 7)
        report.violations = [Violation(.oneDecision, "l: approve, then deny")]
        report.kept = "/tmp/here"
        let text = report.text(for: Terminal.output)
        #expect(text.contains("VIOLATION: never two different decisions"))
        #expect(text.contains("/tmp/here"))
        #expect(text.contains("0 kills, 0 rounds, 1 violations, seed 7, 0 s"))
        let json = try JSON(parsing: report.json)
        #expect(json["violations"]?.array?.count == 1)
        #expect(json["kept"] == "/tmp/here")
    }
}
