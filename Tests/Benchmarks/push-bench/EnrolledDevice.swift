import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting

/// A device with one enrollment, and a push for it.
struct EnrolledDevice {
    static let secret = Secret(Array(SHA256.hash(data: Data("an example's shared secret".utf8))))

    let environment: PushEnvironment
    let registry: PluginRegistry
    let provider: ForgeRock
    let enrollment: Enrollment

    init() async throws {
        let transport = SimulatedTransport { _, _ in (HTTPResponse(status: .ok), Data()) }
        environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            random: SeededRandom(seed: 1), device: Device(name: "Example", platform: .apple))
        provider = ForgeRock(in: environment)
        registry = try PluginRegistry([provider])
        let offers = try registry.offers(for: .scanned(text: Self.invitation))
        enrollment = try await provider.enroller.enroll(
            offers[0], with: [], deviceToken: .apns(hex: "00", isSandbox: false))
    }

    private static var invitation: String {
        let base = "https://am.example.com:8443/am/json/alpha/push/sns/message?_action="
        let parameters = [
            "m": "REGISTER:1", "uid": "amFuZQ", "l": url(Data("amlbcookie=03".utf8)),
            "s": secret.withBytes { url(Data($0)) }, "c": secret.withBytes { url(Data($0)) },
            "r": url(Data("\(base)register".utf8)), "a": url(Data("\(base)authenticate".utf8)),
        ]
        let query = parameters.map { "\($0)=\($1)" }.joined(separator: "&")
        return "pushauth://push/Example%20Bank:jane.doe@example.com?\(query)"
    }

    /// What a recent server signs for a question with numbers: every value as text.
    var claims: Data {
        let text = #"""
            {"u":"\#(enrollment.id.name)","l":"YW1sYmNvb2tpZT0wMw==",\#
            "c":"uq8gnIxeQ44hSJ2ppGQbGDA/IVr93+rKrEXfpGveyBU=",\#
            "m":"Login attempt from jane at Example Bank","k":"challenge","i":"1760000300000",\#
            "t":"120","d":"jane","p":"{ \"txn\": \"4711\" }",\#
            "x":"{ \"location\": { \"latitude\": 51.5, \"longitude\": -0.12 }, \#
            \"remoteIp\": \"203.0.113.7\", \"userAgent\": \"Mozilla/5.0 (X11; Linux x86_64)\" }",\#
            "n":"17,42,86"}
            """#
        return Data(text.utf8)
    }

    /// The claims, signed.
    var token: String {
        let header = #"{"typ":"JWT","alg":"HS256"}"#
        let input = "\(Self.url(Data(header.utf8))).\(Self.url(claims))"
        let key = Self.secret.withBytes { SymmetricKey(data: $0) }
        let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: key)
        return "\(input).\(Self.url(Data(code)))"
    }

    /// The push as Apple's service delivers it.
    var push: Data {
        let text = """
            {"aps":{"alert":"Login attempt from jane at Example Bank","sound":"default",\
            "category":"authentication_challenge","interruption-level":"time-sensitive",\
            "messageId":"AUTHENTICATE:c2a9e6d4-71b3-4f0e-8a55-90be1d7f46c31760000300001",\
            "data":"\(token)","content-available":1,"mutable-content":1}}
            """
        return Data(text.utf8)
    }

    private static func url(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
