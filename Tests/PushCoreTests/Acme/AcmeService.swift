import Foundation
import HTTPTypes
import PushCore
import PushTesting

@testable import FictionalVendor

/// Acme's server as tests ask it: it takes whatever they announce for its own, and remembers what it
/// was told.
actor AcmeService {
    private let server: AcmeServer
    private(set) var enrolled: [JSON] = []
    private(set) var tokens: [String: JSON] = [:]
    private(set) var tokenLog: [String] = []
    private(set) var removed: [String] = []
    /// Every answer that arrived, in order, with whether it was sent again.
    private(set) var answers: [JSON] = []
    private(set) var statusQuestions = 0
    private(set) var greatestOverlap = 0
    private var underway = 0
    private var refusesWrongTimes: Int?
    private var scripted: [String: Data] = [:]
    /// Every time that a request told, in order, as far as they told one.
    private(set) var times: [Date] = []
    private(set) var requests: [String: Int] = [:]
    private var gates: [String: Gate] = [:]

    init(_ options: Acme.Options = .init()) {
        server = AcmeServer(options)
        server.knowsAll = true
    }

    /// The answer to each challenge that counts.
    var taken: [String: String] {
        server.asked.reduce(into: [:]) { taken, asked in
            if case .taken(let choice) = asked.state { taken[asked.name] = choice }
        }
    }

    func offer(_ claims: JSON, to account: String) {
        let name = claims["id"]?.string ?? ""
        server.asked.append(.init(name: name, enrollment: account, claims: claims))
    }
    func withdraw(_ id: String, of account: String = "ada") {
        end(id, of: account, as: .cancelled)
    }
    func expire(_ id: String) { end(id, as: .expired) }
    /// Another device of the user answers, with a choice if it says so.
    func answerElsewhere(_ id: String, choosing choice: String? = nil) {
        end(id, as: choice.map { .taken($0) } ?? .elsewhere)
    }
    private func end(_ id: String, of account: String = "ada", as state: AcmeServer.State) {
        guard server.challenge(id, of: account)?.state == .open else { return }
        server.change(id, of: account) { $0.state = state }
    }
    func tell(_ date: Date?) { tell(by: { date }) }
    /// Replies carry what a clock shows.
    func tell(by now: @escaping @Sendable () -> Date?) {
        server.now = { now().map { Int($0.timeIntervalSince1970 * 1000) } }
    }
    /// Requests whose time is more than a minute off are refused with this status.
    func refuseWrongTimes(with status: Int?) { refusesWrongTimes = status }
    /// What was answered before is refused with this status.
    func sayAnswered(with status: Int) {
        server.options.over = .answered
        server.answeredStatus = status
    }
    /// Replies to a path with these bytes instead.
    func say(_ body: Data?, at path: String) { scripted[path] = body }
    func block() { server.isBlocked = true }
    /// Refusals say that no earlier copy was taken, nor will be.
    func sayUntaken() { server.saysUntaken = true }
    /// What the inbox lists.
    func list(_ messages: [JSON]) { server.inbox = messages }

    /// Holds requests to a path until the gate opens.
    func hold(_ path: String, at gate: Gate?) { gates[path] = gate }

    func respond(to request: HTTPRequest, body: Data) async -> (response: HTTPResponse, body: Data)
    {
        let path = request.path ?? ""
        requests[path, default: 0] += 1
        underway += 1
        greatestOverlap = max(greatestOverlap, underway)
        defer { underway -= 1 }
        if let gate = gates[path] { await gate.pass() }
        let json = (try? JSON(parsing: body)) ?? .null
        let account = json["account"]?.string ?? ""
        if let body = scripted[path] { return server.seal(body, 200, for: account) }
        let told = AcmeWire.date(json["time"])
        if let told { times.append(told) }
        if let status = refusesWrongTimes, let now = server.now(),
            told.map({ abs($0.timeIntervalSince1970 - Double(now) / 1000) <= 60 }) != true
        {
            return server.seal(.init(status, ["clock": true]), for: account)
        }
        note(path, json, account)
        return server.respond(
            to: path, body, mac: request.headerFields[AcmeWire.macField] ?? "")
    }

    static func httpDate(_ date: Date) -> String {
        AcmeWire.httpDate(Int(date.timeIntervalSince1970))
    }

    private func note(_ path: String, _ json: JSON, _ account: String) {
        switch path {
        case "/enroll": enrolled.append(json)
        case "/token":
            tokens[account] = json["token"]
            tokenLog.append("\(account)=\(json["token"]?.string ?? "none")")
        case "/remove": removed.append(account)
        case "/status": statusQuestions += 1
        case "/answer":
            var answer = (try? JSON(parsing: json["answer"]?.string ?? ""))?.object ?? [:]
            answer["again"] = json["again"]
            answers.append(.object(answer))
        default: break
        }
    }
}
