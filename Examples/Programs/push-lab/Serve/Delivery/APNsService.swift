import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushPlatform

/// Apple's push service (developer.apple.com, "Sending notification requests to APNs").
struct APNsService: PushService {
    /// Where the service is, and the key that this provider signs with.
    private struct Access: Decodable {
        let url, key_id, team_id, topic, key_file: String
    }

    private let access: Access
    private let key: P256.Signing.PrivateKey
    private let token: String
    private let tokens: ProviderTokens

    init(_ directory: URL, token: String, tokens: ProviderTokens) throws {
        let file = directory.appendingPathComponent("apns.json")
        access = try JSONDecoder().decode(Access.self, from: Data(contentsOf: file))
        let keyFile = directory.appendingPathComponent(access.key_file)
        key = try P256.Signing.PrivateKey(
            pemRepresentation: String(contentsOf: keyFile, encoding: .utf8))
        self.token = token
        self.tokens = tokens
    }

    let name = "APNs"

    func deliver(
        _ payload: Data, by transport: SystemTransport
    ) async throws -> (status: Int, reason: String, pause: Duration?) {
        let authorization = try await tokens.token(
            of: access.team_id, by: key, named: access.key_id, at: .now)
        let (response, body) = try await transport.send(
            try Endpoint("\(access.url)/3/device/\(token)").request(
                .post,
                headers: [
                    .authorization: "bearer \(authorization)", Self.topic: access.topic,
                    Self.pushType: "alert", Self.priority: "10",
                ]),
            body: payload)
        return (response.status.code, (try? JSON(parsing: body))?["reason"]?.string ?? "", nil)
    }

    private static let topic = name("apns-topic")
    private static let pushType = name("apns-push-type")
    private static let priority = name("apns-priority")

    private static func name(_ text: String) -> HTTPField.Name {
        HTTPField.Name(text) ?? .accept
    }
}
