import Foundation
import HTTPTypes
import PushCore

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
    private var date: Date?
    private var isBlocked = false
    private var expired: Set<String> = []
    private var gates: [String: Gate] = [:]

    func offer(_ claims: JSON, to account: String) { pending[account, default: []].append(claims) }
    func tell(_ date: Date?) { self.date = date }
    func block() { isBlocked = true }
    func expire(_ id: String) { expired.insert(id) }

    /// Holds requests to a path until the gate opens.
    func hold(_ path: String, at gate: Gate?) { gates[path] = gate }

    func respond(to request: HTTPRequest, body: Data) async -> (response: HTTPResponse, body: Data)
    {
        let path = request.path ?? ""
        underway += 1
        greatestOverlap = max(greatestOverlap, underway)
        defer { underway -= 1 }
        if let gate = gates[path] { await gate.pass() }
        guard let json = try? JSON(parsing: body) else { return reply(400) }
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
        case "/pending": return reply(200, ["pending": .array(pending[account] ?? [])])
        case "/status": return status(of: json["id"]?.string ?? "")
        case "/answer": return take(json)
        default: return reply(404)
        }
    }

    private func status(of id: String) -> (HTTPResponse, Data) {
        statusQuestions += 1
        if taken[id] != nil { return reply(200, ["status": "answered"]) }
        return reply(200, ["status": expired.contains(id) ? "expired" : "open"])
    }

    private func take(_ answer: JSON) -> (HTTPResponse, Data) {
        answers.append(answer)
        let id = answer["id"]?.string ?? ""
        let choice = answer["choice"]?.string ?? ""
        if expired.contains(id) { return reply(410) }
        if choice.hasPrefix("number:"), choice != "number:34" { return reply(409, ["left": 2]) }
        if answer["pin"]?.string == "0000" { return reply(403) }
        taken[id] = taken[id] ?? choice
        return reply(200)
    }

    private func reply(_ status: Int, _ body: JSON = [:]) -> (HTTPResponse, Data) {
        var response = HTTPResponse(status: .init(code: status))
        if let date { response.headerFields[.date] = Self.format(date) }
        return (response, body.data)
    }

    private static func format(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
