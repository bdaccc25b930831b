import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// A request of a device, before its token is signed.
struct Draft {
    var method: HTTPRequest.Method
    var path: String
    var body: Data
    var claims: JSON.Object
    var type = "oxrw-req+jwt"
    var key: P256.Signing.PrivateKey
    var header: JSON?
    /// What is sent instead of what was signed.
    var sentBody: Data?
    var sentPath: String?

    func request() throws -> HTTPRequest {
        let token = try Token.text(.object(claims), type: type, by: key, header: header)
        return HTTPRequest(
            method: method, scheme: "https", authority: "manager.xignin.example",
            path: sentPath ?? path, headerFields: [.authorization: "OXRW \(token)"])
    }
}

/// What came back, as it is.
struct Answer {
    let status: Int
    let contentType: String?
    let body: Data
    /// The signed token, if it is one.
    let token: Token?

    var isSigned: Bool { token != nil }
    var data: JSON { token?.claims["data"] ?? .null }
    var error: String? { data["error"]?.string }
    /// The status and the error's word, or only the status.
    var verdict: String { "\(status) \(error ?? "")".trimmingCharacters(in: .whitespaces) }
}

/// A simulator on a clock that the test moves, with a way to speak to it as a device.
final class Bench {
    let manager: XignInSimulator
    let clock: ManualClock
    private var number = 0

    init(
        _ identifier: String = "idm-demo-1", seed: UInt64 = 1,
        clock: ManualClock = ManualClock(Date(timeIntervalSince1970: 1_767_225_600)),
        _ change: (inout XignInSimulator.Configuration) -> Void = { _ in }
    ) {
        self.clock = clock
        var configuration = XignInSimulator.Configuration(
            identifier: identifier, clock: clock, random: SeededRandom(seed: seed))
        change(&configuration)
        manager = XignInSimulator(configuration)
    }

    var now: Int64 { Int64(clock.now.timeIntervalSince1970.rounded(.down)) }

    func nextJTI() -> String {
        number += 1
        return "req-\(number)"
    }

    // MARK: The channel

    func draft(
        _ phone: Phone, _ method: HTTPRequest.Method, _ path: String, _ body: Data
    ) -> Draft {
        let path = "/oxrw/v1/" + path
        let claims: JSON.Object = [
            "iss": .string(phone.activation), "aud": .string(phone.idm), "jti": .string(nextJTI()),
            "iat": .number(.init(now)), "exp": .number(.init(now + 60)),
            "htm": .string(method.rawValue), "htu": .string(path),
            "bh": .string(base64url(sha256(body))),
            "api": ["min": "1.0.0", "max": "1.0.0"],
        ]
        return Draft(method: method, path: path, body: body, claims: claims, key: phone.key)
    }

    func send(_ draft: Draft) async throws -> Answer {
        try await send(try draft.request(), draft.sentBody ?? draft.body)
    }

    func send(_ request: HTTPRequest, _ body: Data) async throws -> Answer {
        let (response, bytes) = await manager.respond(to: request, body: body)
        let contentType = response.headerFields[.contentType]
        return Answer(
            status: response.status.code, contentType: contentType, body: bytes,
            token: contentType == "application/jose"
                ? try Token(String(decoding: bytes, as: UTF8.self)) : nil)
    }

    /// Sends a request and checks that the answer is the manager's, and for this request.
    func ask(
        _ phone: Phone, _ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil,
        change: (inout Draft) -> Void = { _ in }
    ) async throws -> Answer {
        var draft = draft(phone, method, path, body?.data ?? Data())
        change(&draft)
        return try await checked(draft, by: phone.managerKey)
    }

    func checked(_ draft: Draft, by key: P256.Signing.PublicKey) async throws -> Answer {
        let answer = try await send(draft)
        guard let token = answer.token else { return answer }
        #expect(token.isSigned(by: key))
        #expect(
            token.header == [
                "alg": "ES256", "typ": "oxrw-res+jwt", "kid": .string(thumbprint(key)),
                "idm": try #require(token.claims["iss"]),
            ])
        #expect(token.claims["aud"] == draft.claims["iss"])
        #expect(token.claims["req"] == draft.claims["jti"])
        #expect(token.claims["st"] == .number(.init(Int64(answer.status))))
        #expect(token.claims["iat"] == .number(.init(now)))
        #expect(token.claims["exp"] == .number(.init(now + 60)))
        return answer
    }

    // MARK: Personalization

    func personalizationDraft(
        _ phone: Phone, body: JSON.Object? = nil, jti: String? = nil
    ) throws -> Draft {
        let body = JSON.object(try body ?? phone.personalizationBody()).data
        var draft = draft(phone, .post, "personalizations", body)
        let jti = jti ?? draft.claims["jti"]?.string ?? ""
        draft.claims["jti"] = .string(jti)
        draft.claims["iss"] = .string(thumbprint(phone.key.publicKey))
        for member in phone.activationClaims(jti: jti, body: body).members {
            draft.claims[member.name] = member.value
        }
        return draft
    }

    func personalize(_ phone: Phone, body: JSON.Object? = nil) async throws -> Answer {
        try await checked(
            try personalizationDraft(phone, body: body), by: phone.managerKey)
    }

    /// A user's personalized phone.
    func personalized(
        _ user: String = "jane", label: String = "phone", biometry: Bool = true,
        change: (inout Phone) -> Void = { _ in }
    ) async throws -> Phone {
        var phone = try Phone(
            scanning: await manager.personalizationLink(for: user), label: label,
            biometry: biometry)
        phone.token = .string("token-\(label)")
        change(&phone)
        let answer = try await personalize(phone)
        #expect(answer.status == 200)
        phone.activation = try #require(answer.data["activation_id"]?.string)
        return phone
    }

    // MARK: Logins

    /// A login and the pushes it sent; what was sent before is dropped.
    func login(
        _ user: String = "jane", asking kind: SimulatedLogin.Kind = .confirm,
        spoiledBy fault: XignInSimulator.BadPush? = nil
    ) async throws -> (id: String, pushes: [Received]) {
        _ = await manager.takePushes()
        let login = try await manager.startLogin(of: user, asking: kind, spoiledBy: fault)
        return (login.id, try await received())
    }

    func received() async throws -> [Received] {
        try await manager.takePushes().map { try Received($0) }
    }

    func initialize(_ phone: Phone, _ push: Received) async throws -> Answer {
        try await ask(
            phone, .post, "processes/\(push.process)/initialization",
            ["message_jti": push.claims["jti"] ?? .null])
    }

    func start(_ phone: Phone, _ push: Received) async throws -> Answer {
        let nonce = try await initialize(phone, push).data["nonce"] ?? .null
        return try await ask(phone, .post, "processes/\(push.process)/start", ["nonce": nonce])
    }

    /// A login that a phone has taken over.
    func started(
        _ phone: Phone, asking kind: SimulatedLogin.Kind = .confirm
    ) async throws -> (id: String, data: JSON) {
        let (id, pushes) = try await login(asking: kind)
        let push = try #require(pushes.first { $0.claims["aud"] == .string(phone.activation) })
        let answer = try await start(phone, push)
        #expect(answer.status == 200)
        return (id, answer.data)
    }

    func finishBody(
        _ phone: Phone, _ data: JSON, pin: String? = nil, biometry: Bool = false,
        change: (inout JSON.Object) -> Void = { _ in }
    ) throws -> JSON {
        var claims = try phone.assertionClaims(data, at: now, jti: nextJTI())
        change(&claims)
        let assertion = try phone.assertion(claims)
        var factors: [JSON] = []
        if biometry { factors.append(try phone.biometry(for: assertion, at: now)) }
        if let pin { factors.append(try phone.proof(of: pin, for: claims, assertion: assertion)) }
        return ["assertion": .string(assertion), "factors": .array(factors)]
    }

    func finish(_ phone: Phone, _ id: String, _ body: JSON) async throws -> Answer {
        try await ask(phone, .post, "processes/\(id)/finish", body)
    }

    /// Tries a PIN, and returns the answer.
    func tryPIN(_ pin: String, _ phone: Phone, _ id: String, _ data: JSON) async throws -> Answer {
        try await finish(phone, id, try finishBody(phone, data, pin: pin))
    }

    func reject(
        _ phone: Phone, _ id: String, _ reason: JSON = "user_declined"
    ) async throws -> Answer {
        try await ask(phone, .post, "processes/\(id)/reject", ["reason": reason])
    }

    func status(_ id: String) async throws -> SimulatedLogin.Status {
        try await manager.status(of: id)
    }
}
