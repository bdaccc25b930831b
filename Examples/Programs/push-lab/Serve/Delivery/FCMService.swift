import CryptoExtras
import Foundation
import HTTPTypes
import PushCore
import PushPlatform

/// Firebase Cloud Messaging, HTTP v1 (firebase.google.com, "Send messages with the HTTP v1 API").
struct FCMService: PushService {
    /// The members of a service account's file that matter here.
    private struct Account: Decodable {
        let project_id, private_key_id, private_key, client_email, token_uri: String
    }

    private let account: Account
    private let token: String

    init(_ directory: URL, token: String) throws {
        let file = directory.appendingPathComponent("service-account.json")
        account = try JSONDecoder().decode(Account.self, from: Data(contentsOf: file))
        self.token = token
    }

    let name = "FCM"

    func deliver(
        _ payload: Data, by transport: SystemTransport
    ) async throws -> (status: Int, reason: String, pause: Duration?) {
        let access = try await accessToken(by: transport)
        let base = try Endpoint(account.token_uri)
        let endpoint = try Endpoint(
            "\(base.origin)/v1/projects/\(account.project_id)/messages:send")
        let message: JSON = [
            "message": [
                "token": .string(token), "data": .object(try Self.data(payload)),
                "android": ["priority": "HIGH"],
            ]
        ]
        let (response, body) = try await transport.send(
            endpoint.request(
                .post,
                headers: [.contentType: "application/json", .authorization: "Bearer \(access)"]),
            body: message.data)
        let status = (try? JSON(parsing: body))?["error"]?["status"]?.string ?? ""
        let pause = response.headerFields[.retryAfter].flatMap { Int($0) }
        return (response.status.code, status, pause.map { .seconds(min(max($0, 0), 3600)) })
    }

    /// A payload as FCM carries it: every value is a text.
    private static func data(_ payload: Data) throws -> JSON.Object {
        let members = try JSON(parsing: payload).object?.members ?? []
        return JSON.Object(
            members.map { name, value in
                if case .string = value { return (name, value) }
                return (name, .string(value.text))
            })
    }

    /// Exchanges a signed assertion for an access token (RFC 7523).
    private func accessToken(by transport: SystemTransport) async throws -> String {
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: account.private_key)
        let now = Int64(Date.now.timeIntervalSince1970)
        let assertion = try signedToken(
            header: ["alg": "RS256", "typ": "JWT", "kid": .string(account.private_key_id)],
            claims: [
                "iss": .string(account.client_email), "aud": .string(account.token_uri),
                "scope": "https://www.googleapis.com/auth/firebase.messaging",
                "iat": .number(.init(now)), "exp": .number(.init(now + 3600)),
            ]
        ) { try key.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation }
        let form =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            + assertion
        let (response, body) = try await transport.send(
            try Endpoint(account.token_uri).request(
                .post, headers: [.contentType: "application/x-www-form-urlencoded"]),
            body: Data(form.utf8))
        guard response.status == .ok,
            let access = try JSON(parsing: body)["access_token"]?.string
        else {
            throw PushError(
                .server(status: response.status.code), "No access token for the service account.")
        }
        return access
    }
}
