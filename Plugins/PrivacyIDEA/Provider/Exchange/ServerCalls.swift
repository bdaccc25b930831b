import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The requests to a server.
struct ServerCalls {
    let provider: ProviderID
    let configuration: PrivacyIDEA.Configuration
    let environment: PushEnvironment
    let deviceKeys: DeviceKeys

    /// Farther from the server's time than this, a signed time may be what it refused.
    private static let farOff = Duration.seconds(45)

    /// What this client can do, as the server is told: the array in its canonical form.
    static let capabilities = #"["decline_reason"]"#

    // MARK: Requests

    /// Posts a form.
    func post(_ form: Data, to endpoint: Endpoint) async throws(PushError) -> ServerReply {
        var fields = headers
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await send(endpoint.request(.post, headers: fields), body: form)
    }

    /// Asks for what waits.
    func poll(_ account: Account) async throws(PushError) -> ServerReply {
        try await signed(by: account) { (credential, time) async throws(PushError) in
            let endpoint = credential.url
            let query = FormText([
                ("serial", credential.serial), ("timestamp", time),
                ("capabilities", Self.capabilities),
                (
                    "signature",
                    try await credential.signature(
                        over: "\(credential.serial)|\(time)", by: deviceKeys)
                ),
            ])
            var request = endpoint.request(.get, headers: headers)
            let mark = endpoint.path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            request.path = "\(endpoint.path)\(mark)\(query.text)"
            return try await send(request, body: Data())
        }
    }

    /// Tells the device's token, or the word for none.
    func tell(
        _ deviceToken: String, of account: Account
    ) async throws(PushError) -> ServerReply {
        try await signed(by: account) { (credential, time) async throws(PushError) in
            let text = "\(deviceToken)|\(credential.serial)|\(time)"
            let form = FormText([
                ("new_fb_token", deviceToken), ("serial", credential.serial),
                ("timestamp", time), ("capabilities", Self.capabilities),
                ("signature", try await credential.signature(over: text, by: deviceKeys)),
            ])
            return try await post(form.data, to: credential.url)
        }
    }

    private func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> ServerReply {
        let (response, body) = try await environment.transport.send(request, body: body)
        return try ServerReply(response, body)
    }

    private var headers: HTTPFields {
        var fields: HTTPFields = [
            .accept: "application/json",
            .userAgent: configuration.userAgent ?? userAgent,
        ]
        if let languages = configuration.languages {
            fields[.acceptLanguage] = languages
        }
        return fields
    }

    private var userAgent: String {
        let platform =
            switch environment.device.platform {
            case .apple: "iOS"
            case .android: "Android"
            case .other: "Linux"
            @unknown default: "Linux"
            }
        return "PushPrivacyIDEA/1.0 (\(platform))"
    }

    /// Sends what is signed with a time.
    private func signed(
        by account: Account,
        _ send: (PrivacyIDEACredential, _ time: String) async throws(PushError) -> ServerReply
    ) async throws(PushError) -> ServerReply {
        let credential = try account.credential(as: PrivacyIDEACredential.self)
        return try await environment.signingTime(
            at: Endpoint.ServerID(credential.url, of: provider), for: account.id,
            tolerance: Self.farOff,
            isRefused: { $0.refusal?.isOfSignature == true }
        ) { (time) async throws(PushError) in try await send(credential, Timestamp.text(time)) }
    }
}
