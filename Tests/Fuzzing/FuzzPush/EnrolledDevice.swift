import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting

/// A device with one enrollment: the mechanism and the secret that the seeds are made with.
struct EnrolledDevice: Sendable {
    private static let key = SymmetricKey(
        data: SHA256.hash(data: Data("pushkit-forgerock-secret-0".utf8)))

    let provider: ForgeRock
    let accounts: Accounts
    let enrollment: Enrollment

    init() async throws {
        let transport = SimulatedTransport { _, _ in (HTTPResponse(status: .ok), Data()) }
        let environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            random: MechanismBytes(), device: Device(name: "Example", platform: .apple))
        provider = ForgeRock(in: environment)
        accounts = environment.accounts(for: provider.id)
        guard let offer = try provider.enroller.offer(.scanned(text: Self.invitation)) else {
            throw PushError(.invalidInvitation, "Not an enrollment code.")
        }
        enrollment = try await provider.enroller.enroll(
            offer, with: [], deviceToken: .apns(hex: "00", isSandbox: false))
    }

    private static var invitation: String {
        let secret = key.withUnsafeBytes { Data($0) }.base64EncodedString()
        let url = Data("https://am.example.com/push?_action=register".utf8).base64EncodedString()
        return "pushauth://push/Example:jane?m=1&s=\(secret)&c=\(secret)&r=\(url)&a=\(url)"
    }

    /// A push whose claims, whatever they are, the server signed.
    static func push(signing claims: Data) -> Data {
        let header = url(Data(#"{"typ":"JWT","alg":"HS256"}"#.utf8))
        let input = "\(header).\(url(claims))"
        let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: key)
        return Data(#"{"aps":{"messageId":"1","data":"\#(input).\#(url(Data(code)))"}}"#.utf8)
    }

    /// Whether a text is a JWT that the server signed, told without the SDK.
    static func isSigned(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let code = data(parts[2]) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Data("\(parts[0]).\(parts[1])".utf8), using: key)
    }

    private static func url(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func data(_ url: Substring) -> Data? {
        let text = url.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}

/// The bytes of the mechanism's identifier, 8D7F2B64-0C1A-4E53-9B7D-2F6A1C3E5D90.
private struct MechanismBytes: RandomSource {
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let bytes: [UInt8] = [
            0x8D, 0x7F, 0x2B, 0x64, 0x0C, 0x1A, 0x4E, 0x53,
            0x9B, 0x7D, 0x2F, 0x6A, 0x1C, 0x3E, 0x5D, 0x90,
        ]
        for index in buffer.indices { buffer[index] = bytes[index % bytes.count] }
    }
}
