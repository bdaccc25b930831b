import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct ActivationKeysTests {
    /// Of powerauth-crypto, `compute-master-secret-key.json` #0.
    @Test func `both keys agree on the vendor's master secret`() throws {
        let secret = try ActivationKeys.masterSecret(
            devicePrivateKey: Sample.javaKey("APl59736fwYwx+U+2/vVAPEF0N0Mdyt9ARRXWLPO7KxP"),
            serverPublicKey: Sample.point(
                "BP0G8/tV/kDLDaGCQmoeaOAabLQXjYF/6lgqVpUI3cS6FTTtIzPzOY137vyZFSthKorKvq0iih1PLUeeEFUkAGE="
            ))
        #expect(secret.base64 == "3dgzZJ/h4QsBXia/PIaRsQ==")
    }

    /// Of powerauth-crypto, `compute-derived-keys.json` #0.
    @Test func `the master secret gives the vendor's keys`() throws {
        let keys = try ActivationKeys(masterSecret: Sample.secret("+miyqJykCZQTNpAzn+ZShw=="))
        #expect(keys.possession.base64 == "M3p1tPYouptaX8z5Dhc2cw==")
        #expect(keys.knowledge.base64 == "SG3aE8VTXg6wzkuNuZWaIg==")
        #expect(keys.biometry.base64 == "rhgOh1SxWu919w7F72Oqmw==")
        #expect(keys.transport.base64 == "v8ZPpTuh1IIBaUnhkXcNbw==")
        #expect(keys.vault.base64 == "6o4or/gFtBu5Wb1ayqdgyQ==")
    }

    @Test func `device and server come to the same keys`() throws {
        let device = P256.KeyAgreement.PrivateKey()
        let server = P256.KeyAgreement.PrivateKey()
        let ours = try ActivationKeys(
            devicePrivateKey: device, serverPublicKey: CurvePoint(server.publicKey))
        let theirs = try ActivationKeys(
            devicePrivateKey: server, serverPublicKey: CurvePoint(device.publicKey))
        for key in [\ActivationKeys.possession, \.knowledge, \.biometry, \.transport, \.vault] {
            #expect(ours[keyPath: key].copy == theirs[keyPath: key].copy)
            #expect(ours[keyPath: key].count == 16)
        }
    }

    @Test func `a master secret that nobody folded is refused`() {
        let long = Secret(count: 32) { _ in }
        #expect(Sample.refusal { _ = try ActivationKeys(masterSecret: long) } == .invalidArgument)
    }

    /// The shared coordinate is of fixed size here, unlike the ones in a fingerprint.
    @Test func `a shared coordinate keeps its leading zero`() throws {
        let pair = try #require(try AwkwardKeys.withShortAgreement())
        let shared = try pair.device.sharedSecretFromKeyAgreement(with: pair.server.publicKey)
        let bytes = shared.withUnsafeBytes { Array($0) }
        #expect(bytes.count == 32 && bytes[0] == 0)
        let folded = (0..<16).map { bytes[$0] ^ bytes[$0 + 16] }
        let secret = try ActivationKeys.masterSecret(
            devicePrivateKey: pair.device, serverPublicKey: CurvePoint(pair.server.publicKey))
        #expect(secret.copy == folded)
    }
}

/// Keys whose numbers begin with a zero byte, as one in 256 does.
enum AwkwardKeys {
    typealias Pair = (device: P256.KeyAgreement.PrivateKey, server: P256.KeyAgreement.PrivateKey)

    /// Keys whose shared coordinate begins with a zero byte.
    static func withShortAgreement() throws -> Pair? {
        let server = try key(1)
        for number in 2..<UInt64(4000) {
            let device = try key(number)
            let shared = try device.sharedSecretFromKeyAgreement(with: server.publicKey)
            if shared.withUnsafeBytes({ $0[0] }) == 0 { return (device, server) }
        }
        return nil
    }

    /// A key whose coordinate x begins with a zero byte.
    static func withShortX() throws -> P256.KeyAgreement.PrivateKey? {
        for number in 1..<UInt64(4000) {
            let candidate = try key(number)
            if candidate.publicKey.rawRepresentation.first == 0 { return candidate }
        }
        return nil
    }

    static func key(_ number: UInt64) throws -> P256.KeyAgreement.PrivateKey {
        let random = SeededRandom(seed: number)
        return try P256.KeyAgreement.PrivateKey(rawRepresentation: Data(random.bytes(32).copy))
    }
}
