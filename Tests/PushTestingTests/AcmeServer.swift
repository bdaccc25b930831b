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
        let expiry: Date
        var status = SimulatedLogin.Status.waiting
    }

    private let clock: ManualClock
    private var codes: [String: String] = [:]
    private var keys: [String: String] = [:]
    private var logins: [Login] = []
    private var pushes: [SimulatedPush] = []

    init(clock: ManualClock) { self.clock = clock }

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
        let login = Login(id: "\(logins.count + 1)", user: user, expiry: clock.now + 120)
        logins.append(login)
        let payload = try content(login, key)
        pushes.append(SimulatedPush(to: .fcm("phone"), payload: payload.data))
        return SimulatedLogin(id: login.id)
    }

    func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        guard let found = logins.first(where: { $0.id == login }) else {
            throw PushError(.notFound, "There is no such login.")
        }
        return found.status
    }

    private func content(_ login: Login, _ key: String) throws(PushError) -> JSON {
        let expiry = Int64(login.expiry.timeIntervalSince1970)
        return try AcmeWire.push(
            AcmeWire.ask(login.id, expiry: expiry), key: key, to: login.user
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
        let waiting = logins.filter {
            $0.user == user && $0.status == .waiting && clock.now < $0.expiry
        }
        return ["acme": "list", "items": .array(waiting.compactMap { try? content($0, key) })]
    }

    /// Takes a decision, and another one after it: it's the device that must not change its mind.
    private func answered(_ form: JSON) -> JSON? {
        guard let index = logins.firstIndex(where: { $0.id == form["id"]?.string }) else {
            return nil
        }
        logins[index].status = form["yes"] == true ? .approved : .denied
        return ["acme": "taken"]
    }

    private func standing(_ form: JSON) -> JSON? {
        guard let login = logins.first(where: { $0.id == form["id"]?.string }) else { return nil }
        let waits = login.status == .waiting && clock.now < login.expiry
        return ["acme": waits ? "waits" : "over"]
    }
}
