import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// Acme's server: what it was told, and what it says.
actor AcmeServer {
    private(set) var enrolled: [JSON] = []
    private(set) var tokens: [String: JSON] = [:]
    private(set) var tokenLog: [String] = []
    private(set) var removed: [String] = []
    /// Every answer that arrived, in order; the first for a challenge that counts is in `taken`.
    private(set) var answers: [JSON] = []
    private(set) var taken: [String: String] = [:]
    private(set) var statusQuestions = 0
    private(set) var greatestOverlap = 0
    private var underway = 0

    private var pending: [String: [JSON]] = [:]
    private var now: @Sendable () -> Date? = { nil }
    private var refusesWrongTimes: Int?
    private var saysAnswered: Int?
    private var scripted: [String: Data] = [:]
    /// Every time that a request told, in order, as far as they told one.
    private(set) var times: [Date] = []
    private var isBlocked = false
    private var expired: Set<String> = []
    private var inbox: [JSON] = []
    private var saysUntaken = false
    private(set) var requests: [String: Int] = [:]
    private var gates: [String: Gate] = [:]

    func offer(_ claims: JSON, to account: String) { pending[account, default: []].append(claims) }
    func withdraw(_ id: String, of account: String = "ada") {
        pending[account]?.removeAll { $0["id"]?.string == id }
    }
    func tell(_ date: Date?) { now = { date } }
    /// Replies carry what a clock shows.
    func tell(by now: @escaping @Sendable () -> Date) { self.now = now }
    /// Requests whose time is more than a minute off are refused with this status.
    func refuseWrongTimes(with status: Int?) { refusesWrongTimes = status }
    /// What was answered before is refused with this status.
    func sayAnswered(with status: Int?) { saysAnswered = status }
    /// Replies to a path with these bytes instead.
    func say(_ body: Data?, at path: String) { scripted[path] = body }
    /// Another device of the user answers.
    func answerElsewhere(_ id: String) { taken[id] = "elsewhere" }
    func block() { isBlocked = true }
    /// Refusals say that no earlier copy was taken, nor will be.
    func sayUntaken() { saysUntaken = true }
    /// What the inbox lists.
    func list(_ messages: [JSON]) { inbox = messages }
    func expire(_ id: String) { expired.insert(id) }

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
        guard let json = try? JSON(parsing: body) else { return reply(400) }
        if let body = scripted[path] { return (HTTPResponse(status: .ok), body) }
        if let refused = refusal(ofTimeIn: json) { return refused }
        let account = json["account"]?.string ?? ""
        switch path {
        case "/enroll":
            enrolled.append(json)
            return reply(200)
        case "/token":
            tokens[account] = json["token"]
            tokenLog.append("\(account)=\(json["token"]?.string ?? "none")")
            return reply(200)
        case "/remove":
            removed.append(account)
            return reply(200)
        case "/state": return reply(200, ["blocked": .bool(isBlocked)])
        case "/inbox": return reply(200, ["messages": .array(inbox)])
        case "/pending": return reply(200, ["pending": .array(pending[account] ?? [])])
        case "/status": return status(of: json["id"]?.string ?? "")
        case "/answer": return take(json)
        default: return reply(404)
        }
    }

    private func refusal(ofTimeIn json: JSON) -> (HTTPResponse, Data)? {
        let told = json["time"]?.integer.map { Date(timeIntervalSince1970: Double($0)) }
        if let told { times.append(told) }
        guard let status = refusesWrongTimes, let now = now() else { return nil }
        let isClose = told.map { abs($0.timeIntervalSince(now)) <= 60 } ?? false
        return isClose ? nil : reply(status, ["clock": true])
    }

    private func status(of id: String) -> (HTTPResponse, Data) {
        statusQuestions += 1
        if let choice = taken[id] {
            return reply(200, ["status": choice == "elsewhere" ? "elsewhere" : "answered"])
        }
        return reply(200, ["status": expired.contains(id) ? "expired" : "open"])
    }

    private func take(_ answer: JSON) -> (HTTPResponse, Data) {
        answers.append(answer)
        let id = answer["id"]?.string ?? ""
        let choice = answer["choice"]?.string ?? ""
        if let saysAnswered, taken[id] != nil { return reply(saysAnswered, ["answered": true]) }
        if expired.contains(id) { return reply(410, ["said": "expired"]) }
        if choice.hasPrefix("number:"), choice != "number:34" {
            return reply(409, ["said": "wrong", "left": 2, "untaken": .bool(saysUntaken)])
        }
        if answer["pin"]?.string == "0000" {
            return reply(403, ["said": "pin", "untaken": .bool(saysUntaken)])
        }
        taken[id] = taken[id] ?? choice
        return reply(200)
    }

    private func reply(_ status: Int, _ body: JSON = [:]) -> (HTTPResponse, Data) {
        var response = HTTPResponse(status: .init(code: status))
        if let date = now() { response.headerFields[.date] = Self.format(date) }
        return (response, body.data)
    }

    static func format(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
