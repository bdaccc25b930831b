import Foundation
import HTTPTypes
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// A realm on a clock that the test moves, with a way to speak HTTP to it.
struct Bench {
    typealias Reply = SimulatedReply

    /// 28 November 2026, 12:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_867_200)
    static let realm = "/realms/demo"
    static let tokenPath = realm + "/protocol/openid-connect/token"
    static let completePath = realm + "/push-mfa/enroll/complete"
    static let pendingPath = realm + "/push-mfa/login/pending"

    /// For all tests: an RSA key takes long.
    private static let rsa = (try? KeycloakSimulator.RealmKey(.rs256)).map { [$0] } ?? []

    let server: KeycloakSimulator
    let clock = ManualClock(Bench.now)

    init(
        _ algorithm: KeycloakSimulator.Algorithm = .es256,
        _ change: (inout KeycloakSimulator.Configuration) -> Void = { _ in }
    ) {
        var configuration = KeycloakSimulator.Configuration(
            algorithm: algorithm, clock: clock, random: SeededRandom(seed: 1))
        change(&configuration)
        server = KeycloakSimulator(configuration, keys: algorithm == .rs256 ? Self.rsa : [])
    }

    // MARK: HTTP

    func send(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], _ body: String = ""
    ) async throws -> Reply {
        var fields = HTTPFields()
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let request = HTTPRequest(
            method: try #require(HTTPRequest.Method(method)), scheme: "https",
            authority: "sso.example", path: path, headerFields: fields)
        return await server.answer(to: request, Data(body.utf8))
    }

    static func address(_ path: String) -> String { "https://sso.example" + path }

    static let form =
        "grant_type=client_credentials&client_id=push-device-client"
        + "&client_secret=device-client-secret"

    func requestToken(_ proof: String?, _ form: String = form) async throws -> Reply {
        var headers = [("Content-Type", "application/x-www-form-urlencoded")]
        if let proof { headers.append(("DPoP", proof)) }
        return try await send("POST", Self.tokenPath, headers, form)
    }

    // MARK: Requests of a phone

    func accessToken(_ phone: Phone) async throws -> String {
        let proof = try phone.proof("POST", Self.address(Self.tokenPath), at: clock.now)
        let reply = try await requestToken(phone.key.jws(proof.header, proof.claims))
        return try #require(reply.json?["access_token"]?.string)
    }

    func call(
        _ method: String, _ path: String, query: String = "", by phone: Phone,
        with accessToken: String? = nil, _ body: JSON? = nil
    ) async throws -> Reply {
        let token: String
        if let accessToken {
            token = accessToken
        } else {
            token = try await self.accessToken(phone)
        }
        let proof = try phone.proof(method, Self.address(path), at: clock.now, for: token)
        var headers = [
            ("Authorization", "DPoP \(token)"),
            ("DPoP", try phone.key.jws(proof.header, proof.claims)),
        ]
        if body != nil { headers.append(("Content-Type", "application/json")) }
        return try await send(method, path + query, headers, body?.text ?? "")
    }

    func invited(_ user: String = "jane") async throws -> ReadToken {
        let code = try await server.enrollmentCode(for: user)
        return try ReadToken(String(code.dropFirst("my-secure://enroll?token=".utf8.count)))
    }

    func complete(
        _ phone: Phone, _ token: ReadToken, _ changes: [String: JSON?] = [:],
        header: [String: JSON?] = [:]
    ) async throws -> Reply {
        let claims = try phone.enrollment(token).changing(changes)
        let answer = try phone.key.jws(phone.header.changing(header), claims)
        return try await call("POST", Self.completePath, by: phone, ["token": .string(answer)])
    }

    /// An enrolled phone.
    func enrolled(
        _ user: String = "jane", _ algorithm: String = "ES256", _ changes: [String: JSON?] = [:]
    ) async throws -> Phone {
        let token = try await invited(user)
        let phone = try Phone(algorithm, user: token.claims["sub"]?.string ?? "")
        #expect(try await complete(phone, token, changes).words == "200 enrolled")
        return phone
    }

    func pending(_ phone: Phone, of user: String? = nil) async throws -> Reply {
        try await call(
            "GET", Self.pendingPath, query: "?userId=\(user ?? phone.user)", by: phone)
    }

    func listed(_ phone: Phone) async throws -> [JSON] {
        try #require(try await pending(phone).json?["challenges"]?.array)
    }

    static func answerPath(_ id: String) -> String {
        "\(realm)/push-mfa/login/challenges/\(id)/respond"
    }

    func answer(
        _ phone: Phone, _ id: String, _ action: String = "approve",
        _ changes: [String: JSON?] = [:], header: [String: JSON?] = [:]
    ) async throws -> Reply {
        let expiry = Int64(clock.now.timeIntervalSince1970) + 60
        let claims = phone.answer(id, action, until: expiry).changing(changes)
        let token = try phone.key.jws(phone.header.changing(header), claims)
        return try await call(
            "POST", Self.answerPath(id), by: phone, ["token": .string(token)])
    }

    // MARK: Logins

    func start(
        _ kind: SimulatedLogin.Kind = .confirm, of user: String = "jane",
        spoiledBy fault: KeycloakSimulator.BadToken? = nil
    ) async throws -> SimulatedLogin {
        try await server.startLogin(of: user, asking: kind, spoiledBy: fault)
    }

    /// The token of the next push.
    func pushed() async throws -> ReadToken {
        let push = try #require(await server.takePushes().first)
        return try ReadToken(try #require(JSON(parsing: push.payload)["token"]?.string))
    }

    func keySet() async throws -> JSON {
        try #require(
            try await send("GET", Self.realm + "/protocol/openid-connect/certs").json)
    }
}

extension SimulatedReply {
    /// Status and text of a refusal, or of what was done.
    var words: String {
        let text = json?["error"]?.string ?? json?["status"]?.string
        return "\(status) \(text ?? "-")"
    }
}
