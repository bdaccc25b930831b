import CryptoExtras
import Foundation
import HTTPTypes
import PushCore
import PushTesting

@testable import PushAuthCommand
@testable import push_lab

/// A push service at one moment, and senders with its keys.
struct IntakeFixture {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let origin = "http://127.0.0.1:4711"

    let random = SeededRandom(seed: 7)
    let account: ServiceAccount
    let fcm: FCMEndpoint
    let apns: APNsEndpoint

    /// Two for all tests, as making a key takes a second.
    private static let accounts = [UInt64(6), 8].map { seed in
        Task { try await ServiceAccount.make(random: SeededRandom(seed: seed)) }
    }

    static var account: ServiceAccount { get async throws { try await accounts[0].value } }

    /// Somebody else's.
    static var stranger: ServiceAccount { get async throws { try await accounts[1].value } }

    init() async throws {
        account = try await Self.account
        fcm = FCMEndpoint(
            account, at: Self.origin, token: FCMToken.make(for: account.project, random: random),
            random: random)
        apns = APNsEndpoint(
            key: ProviderKey(
                keyID: "KEY0000001", teamID: "TEAM000001", topic: "com.example.pushauth",
                key: .init()),
            token: String(repeating: "a1", count: 32), random: random)
    }

    // MARK: FCM

    /// The claims that are taken.
    func claims() -> JSON.Object {
        let now = Int64(Self.now.timeIntervalSince1970)
        return [
            "iss": .string(account.email), "aud": .string(Self.origin + "/token"),
            "scope": "https://www.googleapis.com/auth/firebase.messaging",
            "iat": .number(.init(now)), "exp": .number(.init(now + 3600)),
        ]
    }

    func assertion(
        _ claims: JSON.Object? = nil, header: JSON.Object = ["alg": "RS256", "typ": "JWT"],
        by key: _RSA.Signing.PrivateKey? = nil
    ) throws -> String {
        try signedToken(header: header, claims: claims ?? self.claims()) {
            try (key ?? account.key).signature(for: $0, padding: .insecurePKCS1v1_5)
                .rawRepresentation
        }
    }

    /// What the token endpoint says.
    func token(_ form: String, at now: Date = now) -> IntakeReply {
        fcm.reply(
            to: request(
                .post, "/token", [.contentType: "application/x-www-form-urlencoded"]),
            Data(form.utf8), at: now)
    }

    func grant(_ assertion: String, at now: Date = now) -> IntakeReply {
        token(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
                + assertion, at: now)
    }

    /// What `messages:send` says to a message, or to a body.
    func send(
        _ message: JSON, trial: Bool = false, credential: String? = nil, at now: Date = now
    ) -> IntakeReply {
        var body: JSON.Object = ["message": message]
        if trial { body["validate_only"] = true }
        return send(body: JSON.object(body).data, credential: credential, at: now)
    }

    func send(
        body: Data, credential: String? = nil, project: String? = nil, at now: Date = now
    ) -> IntakeReply {
        let credential =
            credential ?? "Bearer \(fcm.oauth.tokens.make(.messaging, at: Self.now))"
        return fcm.reply(
            to: request(
                .post, "/v1/projects/\(project ?? account.project)/messages:send",
                [.authorization: credential]),
            body, at: now)
    }

    // MARK: APNs

    func providerToken(
        header: JSON.Object = ["alg": "ES256", "kid": "KEY0000001"],
        claims: JSON.Object = ["iss": "TEAM000001"], age: Int64 = 0
    ) throws -> String {
        var claims = claims
        if claims["iat"] == nil {
            claims["iat"] = .number(.init(Int64(Self.now.timeIntervalSince1970) - age))
        }
        return try signedToken(header: header, claims: claims) {
            try apns.key.key.signature(for: $0).rawRepresentation
        }
    }

    /// What APNs says to a payload.
    func push(
        _ payload: String = #"{"aps":{"alert":"Hello"}}"#, to token: String? = nil,
        _ changes: [HTTPField.Name: String?] = [:],
        certificate: ProviderConnection.Certificate = .none
    ) throws -> IntakeReply {
        var headers: HTTPFields = [
            .authorization: "bearer \(try providerToken())", .apnsTopic: "com.example.pushauth",
        ]
        for (name, value) in changes { headers[name] = value }
        var provider = ProviderConnection()
        provider.certificate = certificate
        return push(with: headers, payload, to: token, over: &provider)
    }

    func push(
        with headers: HTTPFields, _ payload: String = "{}", to token: String? = nil,
        over provider: inout ProviderConnection, at now: Date = now
    ) -> IntakeReply {
        apns.reply(
            to: request(.post, "/3/device/\(token ?? apns.token)", headers), Data(payload.utf8),
            over: &provider, at: now)
    }

    func request(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "https", authority: "127.0.0.1", path: path,
            headerFields: headers)
    }
}

extension IntakeReply {
    /// Google's error status and FCM's own code, such as `NOT_FOUND UNREGISTERED`.
    var googleError: String {
        let error = body?["error"]
        let code = error?["details"]?.array?.compactMap { $0["errorCode"]?.string }.first
        return [error?["status"]?.string, code].compactMap(\.self).joined(separator: " ")
    }
}
