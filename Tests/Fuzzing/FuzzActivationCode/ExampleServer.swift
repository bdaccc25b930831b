import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushTesting

/// A server whose master key everyone knows, and an app of it.
struct ExampleServer: Sendable {
    let provider: PowerAuth
    private let key: P256.Signing.PrivateKey

    /// The key is the SHA-256 of the text `pushkit-powerauth-key-0`, as for the seeds.
    init() throws {
        let scalar = SHA256.hash(data: Data("pushkit-powerauth-key-0".utf8))
        key = try P256.Signing.PrivateKey(rawRepresentation: Array(scalar))
        let application = try PowerAuthApplication(
            key: "lbNrg+B157tbojC487941A==", secret: Secret("5to+u5pcUeAl7GPu7fNmug==".utf8),
            masterPublicKey: key.publicKey.x963Representation)
        let silence = SimulatedTransport { _, _ in
            (HTTPResponse(status: .serviceUnavailable), Data())
        }
        provider = PowerAuth(
            configuration: PowerAuthConfiguration(
                application: application, enrollmentServer: try Endpoint("https://mobile.example")),
            in: PushEnvironment(
                transport: silence, store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
                device: Device(name: "Example", platform: .apple)))
    }

    /// A code with its signature.
    func signed(_ code: String) throws -> String {
        let signature = try key.signature(for: Data(code.utf8)).derRepresentation
        return code + "#" + signature.base64EncodedString()
    }

    /// Whether a text is a code with its signature, told without the SDK.
    func hasSigned(_ text: String) -> Bool {
        let parts = Data(text.utf8).split(
            separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
        guard parts.count == 2, let signature = Data(base64Encoded: Data(parts[1])),
            let read = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        return ToldCode(String(decoding: parts[0], as: UTF8.self)) != nil
            && key.publicKey.isValidSignature(read, for: Data(parts[0]))
    }
}
