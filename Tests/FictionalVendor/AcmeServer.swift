import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Acme's server: what it knows of devices and challenges, and what it says to a request.
///
/// It belongs to one thread or one actor.
class AcmeServer {
    struct Reply {
        var status: Int
        var body: JSON = [:]

        init(_ status: Int, _ body: JSON = [:]) {
            self.status = status
            self.body = body
        }
    }

    struct Enrolled {
        let name: String
        let provider: String
        var token: String?
        var tokenNumber = 0
        var isRemoved = false
    }

    enum State: Hashable {
        case open
        case taken(String)
        case cancelled
        case elsewhere
        case expired
        case failed
    }

    struct Asked {
        let name: String
        let enrollment: String
        /// What its push says.
        let claims: JSON
        /// By this server's clock, in milliseconds; `nil` for never.
        var expiry: Int?
        var state = State.open
        var wrong = 0
        /// Whether the list of what waits has it.
        var isListed = true
    }

    enum Verdict: String {
        case taken
        case takenBefore
        case wrongStillOpen
        case wrongForGood
        case over
        case refused
    }

    /// What it took from a request, beside answers.
    enum Event: String { case enrolled, removed, tokenTold }

    var options: Acme.Options
    /// Whether it knows whoever and whatever it is asked about, as the pushes come from elsewhere.
    var knowsAll = false
    var enrolled: [Enrolled] = []
    var asked: [Asked] = []
    var codes: Set<String> = []
    var inbox: [JSON] = []
    var isBlocked = false
    /// With which status it says that somebody has answered, but not what.
    var answeredStatus = 409
    /// Whether refusals say that no earlier copy was taken, nor will be.
    var saysUntaken = false
    /// How much was changed here, so that a schedule can see when nothing happens any more.
    var changes = 0
    /// Its clock in milliseconds since 1970; `nil` for none.
    var now: () -> Int? = { nil }

    init(_ options: Acme.Options) { self.options = options }

    // MARK: What a stricter server sees to

    /// Whether a request may come with this number.
    func takes(_ number: Int, at index: Int) -> Bool { true }

    /// Takes an answer whose bytes the device has signed.
    func answer(_ text: String, _ answer: JSON, to found: Asked) -> Reply {
        judge(answer["choice"]?.string ?? "", found, pin: answer["pin"]?.string).reply
    }

    func isWordOnAllCopies(_ why: String) -> Bool { saysUntaken }

    func happened(_ event: Event) { changes += 1 }

    // MARK: What it knows

    func index(of enrollment: String) -> Int? {
        enrolled.firstIndex { $0.name == enrollment }
    }

    func challenge(_ name: String, of enrollment: String) -> Asked? {
        let found = asked.first { $0.name == name && $0.enrollment == enrollment }
        guard found == nil, knowsAll else { return found }
        var new = Asked(name: name, enrollment: enrollment, claims: AcmeWire.claims(name))
        new.isListed = false
        asked.append(new)
        return new
    }

    func isOpen(_ challenge: Asked) -> Bool {
        challenge.state == .open && !hasExpired(challenge)
    }

    func hasExpired(_ challenge: Asked) -> Bool {
        guard let expiry = challenge.expiry, let now = now() else { return false }
        return expiry <= now
    }

    func change(_ name: String, of enrollment: String, _ body: (inout Asked) -> Void) {
        let index = asked.firstIndex { $0.name == name && $0.enrollment == enrollment }
        guard let index else { return }
        body(&asked[index])
        changes += 1
    }

    private func state(of challenge: Asked) -> String {
        switch challenge.state {
        case .open: hasExpired(challenge) ? "expired" : "open"
        case .taken: "taken"
        case .cancelled: "cancelled"
        case .elsewhere: "elsewhere"
        case .expired: "expired"
        case .failed: "failed"
        }
    }

    // MARK: Requests

    func respond(
        to path: String, _ data: Data, mac: String
    ) -> (response: HTTPResponse, body: Data) {
        guard let json = try? JSON(parsing: data), let name = json["account"]?.string else {
            return seal(Reply(400), for: "")
        }
        guard AcmeWire.mac(data, key: AcmeWire.key(of: name)) == mac else {
            return seal(Reply(404, ["why": "unknown"]), for: name)
        }
        if path == "/enroll" { return seal(enroll(json, name), for: name) }
        if knowsAll, index(of: name) == nil { enrolled.append(Enrolled(name: name, provider: "")) }
        guard let index = index(of: name), !enrolled[index].isRemoved || path == "/remove" else {
            return seal(Reply(404, ["why": "unknown"]), for: name)
        }
        let number = json["n"]?.integer.map(Int.init)
        guard number.map({ takes($0, at: index) }) ?? true else {
            return seal(Reply(409, ["why": "stale"]), for: name)
        }
        return seal(process(path, json, index), for: name)
    }

    /// Signs a reply for an enrollment, and dates it.
    func seal(_ reply: Reply, for enrollment: String) -> (response: HTTPResponse, body: Data) {
        seal(reply.body.data, reply.status, for: enrollment)
    }

    func seal(
        _ body: Data, _ status: Int, for enrollment: String
    ) -> (response: HTTPResponse, body: Data) {
        var response = HTTPResponse(status: .init(code: status))
        let key = AcmeWire.key(of: enrollment)
        response.headerFields[AcmeWire.macField] = AcmeWire.mac(body, key: key, over: status)
        if options.datesReplies, let now = now() {
            response.headerFields[.date] = AcmeWire.httpDate(now / 1000)
        }
        return (response, body)
    }

    private func process(_ path: String, _ json: JSON, _ index: Int) -> Reply {
        let name = enrolled[index].name
        let found = json["id"]?.string.flatMap { challenge($0, of: name) }
        switch path {
        case "/state": return Reply(200, ["blocked": .bool(isBlocked)])
        case "/remove":
            enrolled[index].isRemoved = !knowsAll
            happened(.removed)
            return Reply(200)
        case "/token": return take(json["token"]?.string, json["n"]?.integer, index)
        case "/inbox": return Reply(200, ["messages": .array(inbox)])
        case "/pending":
            let open = asked.filter { $0.enrollment == name && $0.isListed && isOpen($0) }
            return Reply(200, ["pending": .array(open.map(\.claims))])
        case "/open": return found.map { Reply(200, $0.claims) } ?? Reply(404)
        case "/status":
            guard options.knowsStatus, let found else { return Reply(404) }
            let isSaid = isOpen(found) || options.over != .gone
            return isSaid
                ? Reply(200, ["state": .string(state(of: found))]) : Reply(404, ["why": "gone"])
        case "/answer": return answer(json, of: name)
        default: return Reply(404)
        }
    }

    private func enroll(_ json: JSON, _ name: String) -> Reply {
        if knowsAll { enrolled.removeAll { $0.name == name } }
        let isKnown = index(of: name).map { !enrolled[$0].isRemoved }
        if isKnown == true { return Reply(200) }
        guard isKnown == nil, knowsAll || codes.remove(json["code"]?.string ?? "") != nil else {
            return Reply(403, ["why": "code"])
        }
        enrolled.append(
            Enrolled(
                name: name, provider: json["provider"]?.string ?? "", token: json["token"]?.string))
        happened(.enrolled)
        return Reply(200)
    }

    private func take(_ token: String?, _ number: Int64?, _ index: Int) -> Reply {
        if let number = number.map(Int.init) {
            guard number > enrolled[index].tokenNumber else { return Reply(409, ["why": "stale"]) }
            enrolled[index].tokenNumber = number
        }
        enrolled[index].token = token
        happened(.tokenTold)
        return Reply(200)
    }

    // MARK: Answers

    private func answer(_ json: JSON, of enrollment: String) -> Reply {
        let text = json["answer"]?.string ?? ""
        guard let inner = try? JSON(parsing: text), inner["choice"]?.string != nil,
            AcmeWire.mac(text.utf8, key: AcmeWire.key(of: enrollment)) == json["mac"]?.string,
            let found = inner["id"]?.string.flatMap({ challenge($0, of: enrollment) })
        else { return Reply(404, ["why": "gone"]) }
        return answer(text, inner, to: found)
    }

    func judge(
        _ choice: String, _ found: Asked, pin: String?
    ) -> (verdict: Verdict, reply: Reply) {
        if case .taken(let first) = found.state {
            return (first == choice ? .takenBefore : .over, taken(first, and: choice))
        }
        guard isOpen(found) else {
            let isGone = options.over == .gone
            let why = isGone ? "gone" : state(of: found)
            return (.over, Reply(isGone ? 404 : 410, ["why": .string(why)]))
        }
        if pin == AcmeWire.wrongPIN {
            return (.wrongStillOpen, refusal(403, "pin", mayRetry: options.takesPINAgain))
        }
        if choice.hasPrefix("number:"), choice != "number:\(AcmeWire.right)" {
            let left = options.attempts - found.wrong - 1
            change(found.name, of: found.enrollment) {
                $0.wrong += 1
                if left <= 0 { $0.state = .failed }
            }
            let reply = refusal(409, "wrong", mayRetry: left > 0, left: left)
            return (left > 0 ? .wrongStillOpen : .wrongForGood, reply)
        }
        change(found.name, of: found.enrollment) { $0.state = .taken(choice) }
        return (.taken, Reply(200))
    }

    private func taken(_ first: String, and choice: String) -> Reply {
        switch options.over {
        case .idempotent where first == choice: Reply(200)
        case .idempotent, .explains: Reply(410, ["why": "answered", "by": .string(first)])
        case .answered: Reply(answeredStatus, ["why": "answered"])
        case .gone: Reply(404, ["why": "gone"])
        }
    }

    func refusal(_ status: Int, _ why: String, mayRetry: Bool, left: Int? = nil) -> Reply {
        Reply(
            status,
            [
                "why": .string(why), "retry": .bool(mayRetry),
                "untaken": .bool(isWordOnAllCopies(why)),
                "left": left.map { .integer($0) } ?? .null,
            ])
    }
}
