import Foundation
import HTTPTypes
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

/// A tenant on a clock that the test moves, with a way to speak HTTP to it.
struct Bench {
    typealias Reply = SimulatedReply

    static let enroll = "/push-authenticator/enroll"
    static let resolve = "/push-authenticator/resolve"
    static let now: TimeInterval = 1_702_243_100

    let tenant: PlusAuthSimulator
    let clock: ManualClock
    /// For all indices zeros, for secrets the seed of RFC 6238.
    let random = PlannedRandom(
        always: [UInt8](repeating: 0, count: 8), Array("12345678901234567890123456789012".utf8))

    init(
        at now: TimeInterval = Bench.now,
        _ change: (inout PlusAuthSimulator.Configuration) -> Void = { _ in }
    ) {
        clock = ManualClock(Date(timeIntervalSince1970: now))
        var configuration = PlusAuthSimulator.Configuration(clock: clock, random: random)
        change(&configuration)
        tenant = PlusAuthSimulator(configuration)
    }

    func send(
        _ method: HTTPRequest.Method = .post, _ path: String, _ body: JSON? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        if body != nil, headers[.contentType] == nil {
            headers[.contentType] = "application/json"
        }
        let endpoint = try Endpoint("https://tenant.plusauth.example\(path)")
        return await tenant.answer(
            to: endpoint.request(method, headers: headers), body?.data ?? Data())
    }

    /// The enrollment token of a new invitation.
    func ticket(_ user: String = "ada@example.com") async throws -> String {
        try Self.ticket(in: await tenant.enrollmentURI(for: user))
    }

    /// The enrollment token of the QR code on a page.
    func ticket(on login: SimulatedLogin) async throws -> String {
        let prefix = "data:text/plain;base64,"
        let image = try #require(await tenant.page(of: login.id)["dataUrl"]?.string)
        #expect(image.hasPrefix(prefix))
        let text = try #require(Data(base64Encoded: String(image.dropFirst(prefix.count))))
        return try Self.ticket(in: String(decoding: text, as: UTF8.self))
    }

    private static func ticket(in uri: String) throws -> String {
        let query = try #require(URLComponents(string: uri)?.queryItems)
        return try #require(query.first { $0.name == "context_token" }?.value)
    }

    func enroll(_ phone: Phone, _ ticket: String) async throws -> Reply {
        try await enroll(phone.enrollment, ticket, userAgent: phone.userAgent)
    }

    func enroll(
        _ body: JSON.Object, _ ticket: String, userAgent: String? = nil
    ) async throws -> Reply {
        var headers: HTTPFields = [.authorization: "Bearer \(ticket)"]
        headers[.userAgent] = userAgent
        return try await send(.post, Self.enroll, .object(body), headers: headers)
    }

    /// An enrolled device.
    @discardableResult
    func enrolled(
        _ phone: Phone? = nil, for user: String = "ada@example.com"
    ) async throws -> Phone {
        let phone = try phone ?? Phone()
        #expect(try await enroll(phone, ticket(user)).status == 200)
        return phone
    }

    /// A login and what its devices got.
    func login(
        _ user: String = "ada@example.com", asking kind: SimulatedLogin.Kind = .confirm,
        spoiledBy fault: PlusAuthSimulator.BadPush? = nil
    ) async throws -> (login: SimulatedLogin, push: Received) {
        let login = try await tenant.startLogin(of: user, asking: kind, spoiledBy: fault)
        return (login, try Received(try #require(await tenant.takePushes().first)))
    }

    /// Posts an answer's body with a bearer.
    func answer(
        _ body: JSON, _ token: String, to path: String = Bench.resolve
    ) async throws -> Reply {
        try await send(.post, path, body, headers: [.authorization: "Bearer \(token)"])
    }

    func answer(
        _ push: Received, by phone: Phone, _ claims: JSON.Object = ["response": "accepted"]
    ) async throws -> Reply {
        try await answer(phone.answer(claims), push.token, to: push.path)
    }

    func status(_ login: SimulatedLogin) async throws -> SimulatedLogin.Status {
        try await tenant.status(of: login.id)
    }
}

extension SimulatedReply {
    var error: String? { json?["error"]?.string }
}

extension PlannedRandom {
    /// Says which indices are drawn next.
    func draw(_ indices: UInt8...) { for index in indices { add([0, 0, 0, 0, 0, 0, 0, index]) } }
}

extension Vectors {
    /// Worked examples, by file.
    init(_ name: String) throws { try self.init(name, in: Bundle.module.resourceURL) }
}
