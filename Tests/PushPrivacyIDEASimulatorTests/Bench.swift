import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// A server on a clock that the test moves, with a way to speak HTTP to it.
struct Bench {
    typealias Reply = SimulatedReply

    static let path = "/ttype/push"

    /// For all tests: a key takes long.
    private static let keys = PrivacyIDEASimulator.ServerKeySupply.pool(of: 6)

    /// 22 November 2026, 12:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_348_800)

    let server: PrivacyIDEASimulator
    let clock = ManualClock(Bench.now)
    let random = PlannedRandom()

    init(
        _ generation: PrivacyIDEASimulator.Generation = .v314,
        _ change: (inout PrivacyIDEASimulator.Configuration) -> Void = { _ in }
    ) {
        var configuration = PrivacyIDEASimulator.Configuration(
            generation: generation, clock: clock, random: random)
        configuration.serverKeys = Self.keys
        change(&configuration)
        server = PrivacyIDEASimulator(configuration)
    }

    // MARK: HTTP

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    ) async -> Reply {
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "pi.example.com", path: path,
            headerFields: headers)
        return await server.answer(to: request, Data(body.utf8))
    }

    func post(_ fields: [(String, String)], headers: HTTPFields? = nil) async -> Reply {
        let form = Self.form(fields)
        guard let headers else { return await send(.post, Self.path, form) }
        return await send(.post, Self.path, form, headers: headers)
    }

    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0)=\(escaped($1))" }.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    // MARK: Requests of a phone

    func enroll(_ phone: Phone, _ code: Code, _ changes: [String: String?] = [:]) async -> Reply {
        var fields = [
            ("enrollment_credential", code["enrollment_credential"] ?? ""),
            ("serial", code["serial"] ?? ""), ("fbtoken", "dA1:APA91b_x-Y"),
            ("pubkey", phone.publicKey),
        ]
        fields = fields.compactMap { name, value in
            guard let change = changes[name] else { return (name, value) }
            return change.map { (name, $0) }
        }
        return await post(fields)
    }

    /// An enrolled phone.
    @discardableResult
    func enrolled(_ user: String = "ada", serial: String? = nil) async throws -> Phone {
        let code = try Code(try await server.enrollmentURI(for: user, serial: serial))
        let phone = try Phone(serial: try #require(code["serial"]))
        #expect(await enroll(phone, code).isYes)
        return phone
    }

    func poll(
        _ phone: Phone, ahead seconds: TimeInterval = 0, _ changes: [String: String] = [:]
    ) async throws -> Reply {
        let time = changes["timestamp"] ?? Phone.timestamp(clock.now + seconds)
        let signature = try phone.signature(over: "\(phone.serial)|\(time)")
        let query = Self.form([
            ("serial", changes["serial"] ?? phone.serial), ("timestamp", time),
            ("signature", changes["signature"] ?? signature),
        ])
        return await send(.get, "\(Self.path)?\(query)", headers: [.userAgent: "Phone/1"])
    }

    /// The fields of what a poll lists.
    func listed(_ phone: Phone) async throws -> [JSON.Object] {
        try #require(try await poll(phone).value?.array).compactMap(\.object)
    }

    func answer(_ phone: Phone, _ nonce: String, _ parts: [(String, String)] = []) async throws
        -> Reply
    {
        let signed = [nonce, phone.serial] + parts.map { $0 == "decline" ? "decline" : $1 }
        let signature = try phone.signature(over: signed.joined(separator: "|"))
        return await post(
            [("serial", phone.serial), ("nonce", nonce)] + parts + [("signature", signature)])
    }

    // MARK: Logins

    /// A login, and the challenge that its push brought to the first token.
    func login(
        _ kind: SimulatedLogin.Kind = .confirm, of user: String = "ada",
        spoiledBy fault: PrivacyIDEASimulator.BadChallenge? = nil
    ) async throws -> (login: SimulatedLogin, fields: JSON.Object, nonce: String) {
        let login = try await server.startLogin(of: user, asking: kind, spoiledBy: fault)
        let push = try #require(await server.takePushes().first)
        let fields = try #require(try JSON(parsing: push.payload).object)
        return (login, fields, fields["nonce"]?.string ?? "")
    }

    func state(_ login: SimulatedLogin) async throws -> String {
        let state = try await server.transaction(login.id)
        return "\(state.authentication.rawValue) \(state.challengeStatus)"
    }
}

extension SimulatedReply {
    var value: JSON? { json?["result"]?["value"] }
    var code: Int64? { json?["result"]?["error"]?["code"]?.integer }

    /// Status and code of a refusal, as `400/905`.
    var refusal: String { "\(status)/\(code.map { "\($0)" } ?? "-")" }

    var isYes: Bool { status == 200 && value == true }
    var isNo: Bool { status == 200 && value == false }
}

/// The parameters of a code.
struct Code {
    let text: String
    private let items: [URLQueryItem]

    init(_ text: String) throws {
        self.text = text
        items = try #require(URLComponents(string: text)?.queryItems)
    }

    subscript(name: String) -> String? { items.first { $0.name == name }?.value }
}
