import Foundation
import PushCore
import Testing

@testable import push_lab

/// Each plants what must never become of an answer that is kept in part, or what may.
@Suite struct `The checks of a soak's answers that are kept in part` {
    // MARK: The log

    private func arrival(_ number: Int, _ request: ServerExchange.Request) -> String {
        var line = request.json
        line["exchange"] = .number(JSON.Number(Int64(number)))
        return JSON.object(line).text + "\n"
    }

    private func reply(_ number: Int, _ word: String) -> String {
        #"{"exchange":\#(number),"status":200,"word":"\#(word)"}"# + "\n"
    }

    /// A log of requests about the login `l`, each replied to before the next came; an empty word
    /// for no reply.
    private func checks(_ steps: [(ServerExchange.Request, String)]) -> SoakChecks {
        let lines = steps.enumerated().map { index, step in
            arrival(index, step.0) + (step.1.isEmpty ? "" : reply(index, step.1))
        }
        return SoakChecks(ServerExchange.all(in: lines.joined()))
    }

    private func approval(_ name: String) -> ServerExchange.Request {
        .approval(.init(login: "l", name: name), proof: "cHJvb2Y-\(name)")
    }

    private func question(_ name: String) -> ServerExchange.Request {
        .question(.init(login: "l", name: name))
    }

    private let denial = ServerExchange.Request.answer(login: "l", .deny)

    private func login(_ status: String = "approved") -> LoginFacts {
        var login = LoginFacts(id: "l", user: "jane", payload: "{}", shown: nil, vendor: .part)
        login.names = .init(mechanism: "m", challenge: "c")
        login.status = status
        return login
    }

    private func snapshot(_ choice: Choice, _ outcome: String) -> StoreSnapshot {
        StoreSnapshot(rows: ["c": .init(choice: choice, outcome: outcome)])
    }

    // MARK: One decision

    @Test func `find an approval that was made again before anyone asked`() {
        let checks = checks([(approval("a"), ""), (approval("b"), "user_login")])
        #expect(checks.parts.unaskedApprovals().map(\.promise) == [.asked])
    }

    @Test(arguments: ["", "user_login", "internal"])
    func `find an approval that was made again though nobody said that it must be`(word: String) {
        let checks = checks([
            (approval("a"), ""), (question("a"), word), (approval("b"), "process_finished"),
        ])
        #expect(checks.parts.unaskedApprovals().map(\.promise) == [.asked])
    }

    @Test func `find an approval that was made again before the reply to the question`() {
        let log =
            arrival(1, approval("a")) + arrival(2, question("a")) + arrival(3, approval("b"))
            + reply(2, "factors_missing")
        let checks = SoakChecks(ServerExchange.all(in: log))
        #expect(checks.parts.unaskedApprovals().map(\.promise) == [.asked])
    }

    @Test func `allow an approval that was made again after the manager had judged none`() {
        let checks = checks([
            (approval("a"), ""), (question("a"), "factors_missing"), (approval("b"), ""),
            (question("b"), "factors_missing"), (approval("c"), "user_login"),
        ])
        #expect(checks.parts.unaskedApprovals().isEmpty)
        #expect(checks.parts.doubledApprovals().isEmpty)
        #expect(checks.lostDecisions([login()], snapshot(.approve, "taken")).isEmpty)
    }

    @Test func `find two approvals that were taken`() {
        let checks = checks([
            (approval("a"), "user_login"), (question("a"), "factors_missing"),
            (approval("b"), "user_login"),
        ])
        #expect(checks.parts.doubledApprovals().map(\.promise) == [.oneDecision])
    }

    @Test func `allow a verdict that is told twice`() {
        let checks = checks([(approval("a"), "user_login"), (question("a"), "user_login")])
        #expect(checks.parts.doubledApprovals().isEmpty)
        #expect(checks.lostDecisions([login()], snapshot(.approve, "taken")).isEmpty)
    }

    @Test(arguments: ["", "user_login", "factors_missing"])
    func `find a denial after an approval that may have been taken`(word: String) {
        let checks = checks([(approval("a"), word), (denial, "rejected")])
        #expect(checks.doubledDecisions().map(\.promise) == [.oneDecision])
    }

    @Test func `allow a denial after a mistyped PIN, and after what came before that`() {
        let checks = checks([
            (approval("a"), ""), (question("a"), "factors_missing"), (approval("b"), "lockout"),
            (denial, "rejected"),
        ])
        #expect(checks.doubledDecisions().isEmpty)
        #expect(checks.lostDecisions([login("denied")], snapshot(.deny, "taken")).isEmpty)
    }

    @Test func `find a denial after an approval that came after the mistyped one`() {
        let checks = checks([
            (approval("a"), "lockout"), (approval("b"), ""), (question("a"), "lockout"),
            (denial, "rejected"),
        ])
        #expect(checks.doubledDecisions().map(\.promise) == [.oneDecision])
    }

    // MARK: Delivery

    @Test func `allow nobody to know which of two approvals the manager took`() {
        let taken = checks([
            (approval("a"), "user_login"), (approval("b"), "process_finished"),
        ])
        #expect(taken.lostDecisions([login()], snapshot(.approve, "unknown")).isEmpty)
    }

    @Test(arguments: ["", "lockout", "process_finished", "factors_missing"])
    func `find an approval that ended as unknown, or as taken, and wasn't taken`(word: String) {
        let checks = checks([(approval("a"), word)])
        for outcome in ["unknown", "taken"] {
            let found = checks.lostDecisions([login()], snapshot(.approve, outcome))
            #expect(found.map(\.promise) == [.delivery])
        }
    }

    @Test func `find a question that is taken for the approval it asks about`() {
        var login = login()
        login.kept = [.approve]
        let found = checks([(question("a"), "factors_missing")])
            .lostDecisions([login], snapshot(.approve, "taken"))
        #expect(found.map(\.promise) == [.delivery, .delivery])
    }

    // MARK: Secrets

    @Test func `find a PIN and its proof in any record`() throws {
        let checks = checks([(approval("abcd"), "")])
        func found(_ record: Data) -> [Violation] {
            checks.parts.leaks(
                in: StoreSnapshot(records: ["enrollment/x": record]), of: [login()])
        }
        #expect(found(Data("[\(SoakUser.pin)]".utf8)).map(\.promise) == [.secrets])
        #expect(found(Data("[cHJvb2Y-abcd]".utf8)).map(\.promise) == [.secrets])
        let code = try #require(Data(base64URL: "cHJvb2Y-abcd"))
        #expect(found(Data([0]) + code + Data([1])).map(\.promise) == [.secrets])
        #expect(found(Data("[cHJvb2Y-abce]".utf8)).isEmpty)
    }
}
