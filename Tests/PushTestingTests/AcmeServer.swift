import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// The server of the fictional vendor Acme.
actor AcmeServer: VendorSimulator {
    nonisolated let name = "Acme"

    private struct Login {
        let id: String
        let user: String
        let kind: SimulatedLogin.Kind
        let expiry: Date
        var status = SimulatedLogin.Status.waiting
    }

    private let clock: ManualClock
    private var codes: [String: String] = [:]
    private var keys: [String: String] = [:]
    private var logins: [Login] = []
    private var pushes: [SimulatedPush] = []

    /// What becomes of a user's login where another one waits.
    enum SecondLogin {
        case waitsToo, isRefused, replacesTheFirst
    }

    /// Whether a wrong number ends its login.
    private let endsAtWrongNumbers: Bool
    private let second: SecondLogin

    init(
        clock: ManualClock, endsAtWrongNumbers: Bool = false, second: SecondLogin = .waitsToo
    ) {
        (self.clock, self.endsAtWrongNumbers, self.second) = (clock, endsAtWrongNumbers, second)
    }

    func move(to origin: String) async throws(PushError) {}

    func takePushes() -> [SimulatedPush] {
        defer { pushes = [] }
        return pushes
    }

    func invitation(for user: String) -> Invitation {
        let code = "acme:code-\(codes.count)-of-\(user)"
        codes[code] = user
        return .scanned(text: code)
    }

    func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) throws(PushError) -> SimulatedLogin {
        guard let key = keys[user] else { throw PushError(.notFound, "Nobody is enrolled.") }
        for index in logins.indices where waits(logins[index]) && logins[index].user == user {
            switch second {
            case .waitsToo: break
            case .isRefused: throw PushError(.conflict, "Another login waits.")
            case .replacesTheFirst: logins[index].status = .expired
            }
        }
        let login = Login(
            id: "\(logins.count + 1)", user: user, kind: kind, expiry: clock.now + 120)
        logins.append(login)
        let payload = try content(login, key)
        pushes.append(SimulatedPush(to: .fcm("phone"), payload: payload.data))
        return SimulatedLogin(id: login.id, shown: kind == .number ? Self.number : nil)
    }

    /// What the login page shows.
    private static let number = "34"

    func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        guard let found = logins.first(where: { $0.id == login }) else {
            throw PushError(.notFound, "There is no such login.")
        }
        return found.status
    }

    private func content(_ login: Login, _ key: String) throws(PushError) -> JSON {
        let expiry = Int64(login.expiry.timeIntervalSince1970)
        let prompt = login.kind == .number ? "choose" : "approve"
        return try AcmeWire.push(
            AcmeWire.ask(login.id, prompt: prompt, expiry: expiry), key: key, to: login.user
        ).content
    }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let form = (try? JSON(parsing: body)) ?? .null
        let reply: JSON? =
            switch request.path {
            case "/enroll": enrolled(form)
            case "/list": listed(form)
            case "/detail": detail(form)
            case "/answer": answered(form)
            case "/status": standing(form)
            default: nil
            }
        guard let reply else { return (.init(status: .badRequest), Data()) }
        return (.init(status: .ok), reply.data)
    }

    private func enrolled(_ form: JSON) -> JSON? {
        guard let user = form["code"]?.string.flatMap({ codes.removeValue(forKey: $0) }) else {
            return nil
        }
        let key = "the key of \(user)"
        keys[user] = key
        return ["acme": "enrolled", "user": .string(user), "key": .string(key)]
    }

    private func listed(_ form: JSON) -> JSON? {
        guard let user = form["user"]?.string, let key = keys[user] else { return nil }
        let waiting = logins.filter { $0.user == user && waits($0) }
        return ["acme": "list", "items": .array(waiting.compactMap { try? item($0, key) })]
    }

    /// The push's content, and beside it what a push leaves to the detail.
    private func item(_ login: Login, _ key: String) throws(PushError) -> JSON {
        var members = try content(login, key).object ?? [:]
        members["proof"] = proof(of: login)
        return .object(members)
    }

    private func detail(_ form: JSON) -> JSON? {
        guard let login = logins.first(where: { $0.id == form["id"]?.string }) else { return nil }
        return [
            "acme": "detail", "prompt": login.kind == .number ? "choose" : "approve",
            "proof": proof(of: login),
        ]
    }

    private func proof(of login: Login) -> JSON { login.kind == .biometry ? "biometry" : "none" }

    /// Takes a decision, and another one after it: it's the device that must not change its mind.
    private func answered(_ form: JSON) -> JSON? {
        guard let index = logins.firstIndex(where: { $0.id == form["id"]?.string }) else {
            return nil
        }
        let isYes = form["yes"] == true
        guard !isYes || logins[index].kind != .number || form["number"]?.string == Self.number
        else {
            if endsAtWrongNumbers { logins[index].status = .failed }
            return ["acme": endsAtWrongNumbers ? "lost" : "wrong"]
        }
        logins[index].status = isYes ? .approved : .denied
        return ["acme": "taken"]
    }

    private func standing(_ form: JSON) -> JSON? {
        guard let login = logins.first(where: { $0.id == form["id"]?.string }) else { return nil }
        return ["acme": waits(login) ? "waits" : "over"]
    }

    private func waits(_ login: Login) -> Bool {
        login.status == .waiting && clock.now < login.expiry
    }
}
