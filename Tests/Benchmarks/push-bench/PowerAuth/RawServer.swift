import Crypto
import CryptoExtras
import Foundation
import PushBenchmarks
import PushCore
import PushPowerAuth

/// The server's side of one kind of encrypted request, by swift-crypto alone: it sends back what it
/// read.
struct RawServer: Sendable {
    private static let keyID = "D3D82A6B-47CF-4225-BBE5-BAD96FB84CA4"
    private static let sharedInfo1 = "/pa/generic/application"

    let privateKey = P256.KeyAgreement.PrivateKey()
    private let application: PowerAuthApplication
    private let applicationSecret: Data
    private let nonce: Data
    private let timestamp: Int64

    init(_ example: PowerAuthExample) {
        application = example.application
        applicationSecret = example.applicationSecret
        nonce = example.bytes(16)
        timestamp = Int64(example.time.timeIntervalSince1970 * 1000)
    }

    /// A client that seals for this server.
    func sealer(_ random: any RandomSource) throws -> Inner.PowerAuthSealer {
        try Inner.PowerAuthSealer(
            application, keyID: Self.keyID, publicKey: privateKey.publicKey,
            sharedInfo1: Self.sharedInfo1, random: random)
    }

    /// Opens a request, and seals what it said for the client.
    func response(to request: JSON) throws -> JSON {
        let ephemeral = try data("ephemeralPublicKey", in: request)
        let encrypted = try data("encryptedData", in: request)
        let requestNonce = try data("nonce", in: request)
        let keys = try keys(ephemeral)
        let mac = RawCode.code(
            keys[1], encrypted + covered(requestNonce, request["timestamp"]?.integer, ephemeral))
        guard try data("mac", in: request) == mac else {
            throw PushError(.untrusted, "A request can't be opened.")
        }
        let plain = try AES._CBC.decrypt(
            encrypted, using: SymmetricKey(data: keys[0]), iv: vector(keys[2], requestNonce))
        let answer = try AES._CBC.encrypt(
            plain, using: SymmetricKey(data: keys[0]), iv: vector(keys[2], nonce))
        let code = RawCode.code(keys[1], answer + covered(nonce, timestamp, Data()))
        return [
            "encryptedData": .string(answer.base64EncodedString()),
            "mac": .string(code.base64EncodedString()),
            "nonce": .string(nonce.base64EncodedString()), "timestamp": .number(.init(timestamp)),
        ]
    }

    /// The keys that encrypt, authenticate and make initialization vectors.
    private func keys(_ ephemeral: Data) throws -> [Data] {
        let shared = try privateKey.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(compressedRepresentation: ephemeral))
        let derived = shared.x963DerivedSymmetricKey(
            using: SHA256.self, sharedInfo: Data("3.3\(Self.sharedInfo1)".utf8) + ephemeral,
            outputByteCount: 48)
        return derived.withUnsafeBytes { bytes in
            [0, 16, 32].map { Data(bytes[$0..<$0 + 16]) }
        }
    }

    private func vector(_ key: Data, _ nonce: Data) throws -> AES._CBC.IV {
        try AES._CBC.IV(ivBytes: RawCode.folded(RawCode.code(key, nonce)))
    }

    /// What a code covers after the ciphertext.
    private func covered(_ nonce: Data, _ time: Int64?, _ ephemeral: Data) -> Data {
        let base = Data(SHA256.hash(data: applicationSecret))
        let names = ["3.3", application.key, Self.keyID].map { Data($0.utf8) }
        let time = withUnsafeBytes(of: (time ?? 0).bigEndian) { Data($0) }
        return sized([base, nonce, time, ephemeral, sized(names)])
    }

    private func sized(_ parts: [Data]) -> Data {
        parts.reduce(into: Data()) { joined, part in
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { joined.append(contentsOf: $0) }
            joined.append(part)
        }
    }

    private func data(_ name: String, in request: JSON) throws -> Data {
        guard let data = Data(base64Encoded: request[name]?.string ?? "") else {
            throw PushError(.malformed, "A request lacks a member.")
        }
        return data
    }
}
