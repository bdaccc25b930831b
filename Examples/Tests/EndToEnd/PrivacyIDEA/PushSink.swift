import CryptoExtras
import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// Where a server's gateways push to: it stands in for Firebase, and takes the HTTP gateway's requests.
actor PushSink {
    private var pushes: [String: [Data]] = [:]
    private var server: LocalServer?

    /// What the replies to pushes for a device token pass.
    private var gates: [String: Gate] = [:]

    /// Starts it, and writes the service account that its Firebase takes.
    ///
    /// - Parameter accountFile: Where the account goes.
    /// - Throws: What keeps it from listening.
    func start(accountFile: URL) async throws {
        let server = try await LocalServer.start { [weak self] request, body in
            await self?.respond(to: request, body)
        }
        self.server = server
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let account: JSON = [
            "type": "service_account", "project_id": "lab", "private_key_id": "1",
            "private_key": .string(key.pkcs8PEMRepresentation),
            "client_email": "lab@lab.iam.gserviceaccount.com", "client_id": "1",
            "token_uri": .string(server.origin + "/token"),
        ]
        try account.data.write(to: accountFile)
    }

    /// Where it listens.
    var origin: String { server?.origin ?? "" }

    /// What came for a device token and wasn't taken yet.
    func take(_ deviceToken: String) -> [Data] {
        pushes.removeValue(forKey: deviceToken) ?? []
    }

    /// Keeps a gateway that pushes to a device token waiting for its reply.
    ///
    /// - Returns: What happens once it has pushed, and what lets it have its reply.
    func hold(_ deviceToken: String) async -> (hasPushed: Event, gate: Gate) {
        let gate = Gate()
        gates[deviceToken] = gate
        return (await gate.shut(), gate)
    }

    private func respond(
        to request: HTTPRequest, _ body: Data
    ) async -> (response: HTTPResponse, body: Data)? {
        guard request.path != "/token" else {
            return Self.reply(
                ["access_token": "any", "token_type": "Bearer", "expires_in": 3599])
        }
        let isFirebase = request.path?.hasSuffix("messages:send") == true
        guard let json = try? JSON(parsing: body),
            let message = isFirebase ? json["message"] : json,
            let token = message["token"]?.string, let data = message["data"]
        else { return (HTTPResponse(status: .badRequest), Data()) }
        pushes[token, default: []].append(data.data)
        await gates[token]?.pass()
        return Self.reply(["name": "projects/lab/messages/1"])
    }

    private static func reply(_ json: JSON) -> (response: HTTPResponse, body: Data) {
        let fields: HTTPFields = [.contentType: "application/json"]
        return (HTTPResponse(status: .ok, headerFields: fields), json.data)
    }
}
