import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting

/// A manager as `docs/vendors/xignin-oxrw.md` has it, for these tests alone: strict with what it
/// gets, and ready to answer whatever a test likes.
actor Manager {
    /// The calls of the protocol.
    enum Call: String, Sendable, CaseIterable {
        case personalization, token, removal, keys, initialization, start, finish, reject
    }

    /// A request as it came, with what its token says.
    struct Request: Sendable {
        let call: Call
        let method: String
        let path: String
        let authorization: String
        let header: JSON.Object
        let claims: JSON.Object
        let body: Data

        /// A member of the body.
        subscript(_ name: String) -> JSON? { (try? JSON(parsing: body))?[name] }

        var jti: String? { claims["jti"]?.string }
    }

    /// A no with its name of `docs/vendors/xignin-oxrw.md#7-errors`.
    struct Refusal: Error, Sendable {
        let status: Int
        let name: String
        var extra: JSON.Object = [:]

        init(_ status: Int, _ name: String, _ extra: JSON.Object = [:]) {
            (self.status, self.name, self.extra) = (status, name, extra)
        }
    }

    nonisolated let idm: String
    nonisolated let host: String
    /// The key of the link.
    nonisolated let key: SigningKey
    /// The manager's own clock.
    nonisolated let time: ManualClock

    var signer: SigningKey
    var published: [SigningKey]
    var plan = Plan()
    var names: [String] = []
    var activations: [String: Activation] = [:]
    var invites: [String: Invite] = [:]
    var processes: [String: Process] = [:]
    /// What devices' services deliver: the activation, and the push.
    var outbox: [(activation: String, push: Push)] = []
    var twists: [(call: Call, twist: Twist)] = []
    var seen: Set<String> = []
    var asides: [Aside] = []
    private(set) var requests: [Request] = []
    /// What was wrong with requests.
    private(set) var complaints: [String] = []
    private var lastNumber = 0

    init(
        _ idm: String = WorkedExample.idm, host: String = WorkedExample.manager,
        key: SigningKey = SigningKey(),
        time: ManualClock
    ) {
        (self.idm, self.host, self.key, self.time) = (idm, host, key, time)
        (signer, published) = (key, [key])
    }

    nonisolated var now: Int { Int(time.now.timeIntervalSince1970) }

    /// A fresh name. Names a test has laid out come first.
    func name(_ kind: String) -> String {
        if !names.isEmpty { return names.removeFirst() }
        lastNumber += 1
        let random = base64url(sha256("\(idm) \(kind) \(lastNumber)".utf8).prefix(16))
        return "\(kind)-\(random)"
    }

    func lay(_ names: String...) { self.names += names }

    func plan(_ change: @Sendable (inout Plan) -> Void) { change(&plan) }

    /// What becomes of the next such call.
    func next(_ call: Call, _ twist: Twist) { twists.append((call, twist)) }

    func complain(_ text: String) { complaints.append(text) }

    func requests(_ call: Call) -> [Request] { requests.filter { $0.call == call } }

    // MARK: The channel

    func respond(to request: HTTPRequest, body: Data) -> (response: HTTPResponse, body: Data) {
        let path = request.path ?? ""
        guard let call = Self.call(request.method.rawValue, path),
            let field = request.headerFields[.authorization], field.hasPrefix("OXRW "),
            let token = Token.unverified(field.dropFirst(5))
        else {
            complain("\(request.method.rawValue) \(path) is no call of the protocol")
            return unsigned(400, "malformed_request")
        }
        let known = Request(
            call: call, method: request.method.rawValue, path: path, authorization: field,
            header: token.header, claims: token.claims, body: body)
        requests.append(known)
        let twist = twists.firstIndex { $0.call == call }.map { twists.remove(at: $0).twist }
        if case .refused(let refusal) = twist { return signed(known, refusal, nil) }
        if case .refusedAndSpoiled(let refusal, let spoil) = twist {
            return signed(known, refusal, spoil)
        }
        if case .busy(let status) = twist { return unsigned(status, "busy") }
        if case .replaced(let status, let stranger, let isProcessed) = twist {
            if isProcessed { _ = try? process(known) }
            return stranger.reply(status, to: known, of: self)
        }
        do {
            var data = try process(known)
            if case .changed(let change) = twist { change(&data) }
            var spoil: Spoil?
            if case .spoiled(let how) = twist { spoil = how }
            return answer(known, 200, data, spoil)
        } catch let refusal as Refusal {
            var spoil: Spoil?
            if case .spoiled(let how) = twist { spoil = how }
            return signed(known, refusal, spoil)
        } catch {
            complain("\(error)")
            return unsigned(500, "broken")
        }
    }

    static func call(_ method: String, _ path: String) -> Call? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.prefix(3) == ["", "oxrw", "v1"] else { return nil }
        switch (method, parts.dropFirst(3).first, parts.count) {
        case ("POST", "personalizations", 4): return .personalization
        case ("PUT", "activations", 6) where parts[5] == "push-token": return .token
        case ("DELETE", "activations", 5): return .removal
        case ("GET", "activations", 6) where parts[5] == "manager-keys": return .keys
        case ("POST", "processes", 6):
            return [.initialization, .start, .finish, .reject].first { $0.rawValue == parts[5] }
        default: return nil
        }
    }

    private func process(_ request: Request) throws -> JSON.Object {
        if request.call == .personalization { return try personalize(request) }
        let activation = try check(request)
        switch request.call {
        case .personalization, .token: return try setToken(request, of: activation)
        case .removal: return remove(activation)
        case .keys: return ["manager_keys": keySet]
        case .initialization: return try initialize(request, activation)
        case .start: return try start(request, activation)
        case .finish: return try finish(request, activation)
        case .reject: return try reject(request, activation)
        }
    }

    var keySet: JSON {
        ["keys": .array(published.map { .object($0.publicKey.jwk) })]
    }

    private func check(_ request: Request) throws -> Activation {
        guard let id = request.claims["iss"]?.string, let activation = activations[id] else {
            throw Refusal(404, "activation_unknown")
        }
        try checkSignature(request, activation.deviceKey)
        try checkFreshness(request)
        activations[id]?.isUsed = true
        let parts = request.path.split(separator: "/")
        if parts[2] == "activations", parts[3] != id { throw Refusal(400, "malformed_request") }
        return activation
    }

    func checkSignature(_ request: Request, _ key: VerifyingKey) throws {
        let token = Token(request.authorization.dropFirst(5), key: key)
        let claims = request.claims
        let wrong = [
            ("signature", token == nil), ("aud", claims["aud"] != .string(idm)),
            ("typ", request.header["typ"] != "oxrw-req+jwt"),
            ("kid", request.header["kid"] != .string(key.thumbprint)),
            ("htm", claims["htm"] != .string(request.method)),
            ("htu", claims["htu"] != .string(request.path)),
            ("bh", claims["bh"] != .string(base64url(sha256(request.body)))),
        ].filter(\.1).map(\.0)
        guard wrong.isEmpty else {
            complain("\(request.call): wrong \(wrong)")
            throw Refusal(401, "invalid_device_signature")
        }
    }

    func checkFreshness(_ request: Request) throws {
        guard let issued = request.claims["iat"]?.integer, let end = request.claims["exp"]?.integer,
            let jti = request.jti, (1...60).contains(end - issued)
        else {
            complain("\(request.call): no times, or too long")
            throw Refusal(401, "invalid_device_signature")
        }
        if abs(Int(issued) - now) > 60 { throw Refusal(401, "clock_skew") }
        if (decoded(base64url: jti)?.count ?? jti.count) < 16 {
            complain("\(request.call): the jti \(jti) has less than 128 bits")
        }
        if !seen.insert("\(request.claims["iss"]?.string ?? "") \(jti)").inserted {
            complain("\(request.call): the jti \(jti) came before")
            throw Refusal(401, "replayed_request")
        }
        if request.claims["api"]?["min"] != "1.0.0" || request.claims["api"]?["max"] != "1.0.0" {
            complain("\(request.call): the range of versions is missing")
        }
    }

    /// The members of a request's body, which must be these exactly.
    func members(_ request: Request, _ names: String...) throws -> JSON {
        guard let body = try? JSON(parsing: request.body), let object = body.object,
            Set(object.members.map(\.name)) == Set(names)
        else {
            complain("\(request.call): not the members \(names)")
            throw Refusal(400, "malformed_request")
        }
        return body
    }
}
