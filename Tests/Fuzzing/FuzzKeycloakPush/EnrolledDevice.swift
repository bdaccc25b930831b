import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushKeycloak
import PushTesting

/// A device with one enrollment at a realm that signs with the target's key, and replies what it is
/// told.
struct EnrolledDevice: Sendable {
    static let subject = "87fa1c21-1b1e-4af8-98b1-1df2e90d3c3d"
    private static let issuer = "https://sso.example/realms/demo"

    let provider: Keycloak
    let accounts: Accounts
    let id: Enrollment.ID
    private let environment: PushEnvironment
    private let realm: Realm
    private let key: P256.Signing.PrivateKey

    init() async throws {
        key = try P256.Signing.PrivateKey(
            rawRepresentation: SHA256.hash(data: Data("pushkit-keycloak-key-0".utf8)))
        let point = key.publicKey.rawRepresentation
        realm = Realm(
            keys: """
                {"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"k","use":"sig",\
                "x":"\(Self.url(point.prefix(32)))","y":"\(Self.url(point.suffix(32)))"}]}
                """)
        environment = PushEnvironment(
            transport: realm, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            random: CredentialBytes(), device: Device(name: "Example"))
        provider = try Self.provider(in: environment)
        accounts = environment.accounts(for: provider.id)
        let token = Self.token(
            signing: Data(
                """
                {"iss":"\(Self.issuer)","aud":"demo","typ":"push-enroll-challenge",\
                "sub":"\(Self.subject)","enrollmentId":"b15ef7f2-494c-4f03-a9b4-5b7eb4a71caa",\
                "nonce":"eDd7","exp":253402300799}
                """.utf8), by: key)
        guard let offer = try provider.enroller.offer(.scanned(text: token)) else {
            throw PushError(.invalidInvitation, "Not a code.")
        }
        id = try await provider.enroller.enroll(offer, with: [], deviceToken: nil).id
    }

    private static func provider(in environment: PushEnvironment) throws(PushError) -> Keycloak {
        let realm = try KeycloakConfiguration.Realm(
            issuer: issuer, clientID: "push-device-client",
            clientSecret: Secret("device-client-secret".utf8))
        return Keycloak(configuration: KeycloakConfiguration(realms: [realm]), in: environment)
    }

    // MARK: What the realm replies

    /// What the realm says that waits.
    func listed(in reply: Data) async throws(PushError) -> [Announcement] {
        await realm.set(list: reply)
        let account = try await accounts.existing(id)
        return try await provider.resolver.pending(of: account, after: nil).announcements
    }

    /// The challenge, by the list of the last ``listed(in:)``.
    func opened(_ announcement: Announcement) async throws(PushError) -> Challenge? {
        var announcement = announcement
        let account = try await accounts.existing(id)
        return try await provider.resolver.challenge(for: &announcement, of: account)
    }

    /// How a list is asked for after the token endpoint's reply, by a provider without a token.
    func authorization(after status: Int, _ reply: Data) async throws(PushError) -> String? {
        await realm.set(list: Data(#"{"challenges":[]}"#.utf8), token: (status, reply))
        let account = try await accounts.existing(id)
        _ = try await Self.provider(in: environment).resolver.pending(of: account, after: nil)
        return await realm.authorization
    }

    // MARK: What the realm signs

    /// A push whose claims, whatever they are, the realm signed.
    func push(signing claims: Data) -> PushMessage {
        PushMessage(fcm: ["token": Self.token(signing: claims, by: key)])
    }

    /// Whether a push or a link has a token that the realm signed, told without the SDK.
    func isSigned(_ message: PushMessage) -> Bool {
        let texts =
            message["token"]?.string.map { [$0] }
            ?? message.content.string?.split(whereSeparator: "?&=#".contains)
            .compactMap { String($0).removingPercentEncoding } ?? []
        return texts.contains { text in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let raw = Self.data(parts[2]),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.publicKey.isValidSignature(
                signature, for: Data("\(parts[0]).\(parts[1])".utf8))
        }
    }

    private static func token(signing claims: Data, by key: P256.Signing.PrivateKey) -> String {
        let input = "\(url(Data(#"{"alg":"ES256","typ":"JWT","kid":"k"}"#.utf8))).\(url(claims))"
        let signature = try? key.signature(for: Data(input.utf8))
        return "\(input).\(url(signature?.rawRepresentation ?? Data()))"
    }

    private static func url(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func data(_ url: Substring) -> Data? {
        let text = url.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}

private actor Realm: Transport {
    private static let token = (200, Data(#"{"access_token":"a","token_type":"DPoP"}"#.utf8))

    private let keys: Data
    private var list = Data()
    private var token = Realm.token

    /// What the last request for a list had.
    private(set) var authorization: String?

    init(keys: String) { self.keys = Data(keys.utf8) }

    func set(list: Data, token: (Int, Data) = Realm.token) {
        (self.list, self.token, authorization) = (list, token, nil)
    }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let path = request.path ?? ""
        if path.hasSuffix("/certs") { return (HTTPResponse(status: .ok), keys) }
        if path.hasSuffix("/token") {
            return (HTTPResponse(status: .init(code: token.0)), token.1)
        }
        if path.hasSuffix("/complete") {
            return (HTTPResponse(status: .ok), Data(#"{"status":"enrolled"}"#.utf8))
        }
        authorization = request.headerFields[.authorization]
        return (HTTPResponse(status: .ok), list)
    }
}

/// The bytes of the credential's identifier, 8D7F2B64-0C1A-4E53-9B7D-2F6A1C3E5D90, and of its key.
private struct CredentialBytes: RandomSource {
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let bytes: [UInt8] = [
            0x8D, 0x7F, 0x2B, 0x64, 0x0C, 0x1A, 0x4E, 0x53,
            0x9B, 0x7D, 0x2F, 0x6A, 0x1C, 0x3E, 0x5D, 0x90,
        ]
        for index in buffer.indices { buffer[index] = bytes[index % bytes.count] }
    }
}
