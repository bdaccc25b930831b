import Crypto
import CryptoExtras
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// The server's side of an envelope, written apart from what it tests: X9.63, folding and sizes are
/// its own.
struct ReferenceServer {
    let version: PowerAuthVersion
    let inActivation: Bool
    let privateKey: P256.KeyAgreement.PrivateKey
    let keyID: String?
    var sharedInfo1 = "/pa/token/create"

    init(_ version: PowerAuthVersion, inActivation: Bool, seed: UInt64 = 7) throws {
        self.version = version
        self.inActivation = inActivation
        privateKey = try Wire.privateKey(seed)
        keyID = version == .v3_3 ? "D3D82A6B-47CF-4225-BBE5-BAD96FB84CA4" : nil
    }

    /// A client that seals for this server.
    func encryptor(_ random: any RandomSource) throws -> RequestEncryptor {
        try RequestEncryptor(
            version: version, scope: Wire.scope(inActivation: inActivation),
            key: EncryptionKey(id: keyID, publicKey: Wire.point(privateKey)),
            sharedInfo1: sharedInfo1, random: random)
    }

    /// The envelope's code is wrong.
    struct Refused: Error {}

    /// What a request is answered with.
    struct Exchange {
        let server: ReferenceServer
        let keys: [UInt8]
        let requestNonce: [UInt8]
        let plain: [UInt8]
    }

    /// Opens a request, as only the server can.
    func open(_ request: JSON) throws -> Exchange {
        let ephemeral = try Wire.decode(#require(request["ephemeralPublicKey"]?.string))
        let data = try Wire.decode(#require(request["encryptedData"]?.string))
        let nonce = try Wire.decode(#require(request["nonce"]?.string))
        let shared = try privateKey.sharedSecretFromKeyAgreement(
            with: ephemeral.count == 33
                ? .init(compressedRepresentation: ephemeral) : .init(x963Representation: ephemeral)
        ).withUnsafeBytes { Array($0) }
        try #require(shared.count == 32)
        let label = version == .v3_1 ? sharedInfo1 : version.rawValue + sharedInfo1
        let keys = Self.x963(shared, Array(label.utf8) + ephemeral)
        let covered = try data + self.covered(nonce, request["timestamp"]?.integer, ephemeral)
        guard Wire.base64(Self.hmac(Array(keys[16..<32]), covered)) == request["mac"]?.string
        else { throw Refused() }
        let plain = try AES._CBC.decrypt(
            data, using: SymmetricKey(data: keys[..<16]), iv: Self.vector(keys, nonce))
        return Exchange(server: self, keys: keys, requestNonce: nonce, plain: Array(plain))
    }

    /// What a code covers after the ciphertext.
    fileprivate func covered(
        _ nonce: [UInt8], _ timestamp: Int64?, _ ephemeral: [UInt8]
    ) throws -> [UInt8] {
        let application = try Wire.application()
        let secret = application.secret.withBytes { Array($0) }
        let base =
            try inActivation
            ? Self.hmac(Wire.decode(Wire.transportKey), secret) : Array(SHA256.hash(data: secret))
        guard version != .v3_1 else { return base }
        var texts = [version.rawValue, application.key]
        if inActivation { texts.append(Wire.activationID) }
        if let keyID { texts.append(keyID) }
        let associated = Self.sized(texts.map { Array($0.utf8) })
        let time = UInt64(try #require(timestamp))
        let bigEndian = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        return Self.sized([base, nonce, bigEndian, ephemeral, associated])
    }

    // MARK: Primitives

    static func x963(_ shared: [UInt8], _ info: [UInt8]) -> [UInt8] {
        let blocks: [[UInt8]] = [1, 2].map { counter in
            Array(SHA256.hash(data: shared + [0, 0, 0, counter] + info))
        }
        return Array(blocks.joined().prefix(48))
    }

    static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func vector(_ keys: [UInt8], _ nonce: [UInt8]) throws -> AES._CBC.IV {
        let long = hmac(Array(keys[32..<48]), nonce)
        return try AES._CBC.IV(ivBytes: zip(long[..<16], long[16...]).map { $0 ^ $1 })
    }

    private static func sized(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { [0, 0, UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
    }
}

extension ReferenceServer.Exchange {
    static let nonce = [UInt8](16..<32)
    static let timestamp: Int64 = 1_723_109_505_421

    /// A response, sealed as the version asks.
    func response(_ plain: [UInt8]) throws -> JSON {
        let nonce = server.version == .v3_1 ? requestNonce : Self.nonce
        let data = try AES._CBC.encrypt(
            plain, using: SymmetricKey(data: keys[..<16]),
            iv: ReferenceServer.vector(keys, nonce))
        return try response(ciphertext: Array(data))
    }

    /// A response whose code is right, whatever the ciphertext.
    func response(ciphertext: [UInt8]) throws -> JSON {
        let covered = try ciphertext + server.covered(Self.nonce, Self.timestamp, [])
        let mac = ReferenceServer.hmac(Array(keys[16..<32]), covered)
        var members: JSON.Object = [
            "encryptedData": .string(Wire.base64(ciphertext)), "mac": .string(Wire.base64(mac)),
        ]
        if server.version != .v3_1 {
            members["nonce"] = .string(Wire.base64(Self.nonce))
            members["timestamp"] = .integer(Self.timestamp)
        }
        return .object(members)
    }
}
