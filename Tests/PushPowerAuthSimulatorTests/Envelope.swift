import Crypto
import Foundation
import PushCore
import Testing

/// A device's side of one encrypted exchange.
struct Envelope {
    /// Whom it is for.
    struct Target {
        var version = "3.3"
        var applicationKey: String
        var applicationSecret: String
        var activation: String?
        var transport: Data?
        var key: P256.KeyAgreement.PublicKey
        var keyID: String?

        var base: Data {
            let secret = Data(applicationSecret.utf8)
            return transport.map { Raw.hmac($0, secret) } ?? Data(SHA256.hash(data: secret))
        }

        var associated: Data {
            var parts = [version, applicationKey]
            if let activation { parts.append(activation) }
            if version == "3.3" { parts.append(keyID ?? "") }
            return Raw.sized(parts.map { Data($0.utf8) })
        }
    }

    var members: JSON.Object
    let nonce: Data
    let keys: Data
    let target: Target

    private static func hasNonce(_ version: String) -> Bool { version != "3.0" }
    private static func isFull(_ version: String) -> Bool { version > "3.1" }

    init(
        _ plain: Data, _ sharedInfo: String, to target: Target, at time: Int,
        ephemeral: P256.KeyAgreement.PrivateKey = .init(), nonce: Data = Raw.random(16),
        compressed: Bool = true
    ) throws {
        self.target = target
        self.nonce = nonce
        let version = target.version
        let point =
            compressed
            ? ephemeral.publicKey.compressedRepresentation : ephemeral.publicKey.x963Representation
        let info = (Self.isFull(version) ? version : "") + sharedInfo
        // X9.63 by hand, so that not even the library's is shared.
        let z = try ephemeral.sharedSecretFromKeyAgreement(with: target.key)
            .withUnsafeBytes { Data($0) }
        let blocks = (1...2).map { index in
            Data(SHA256.hash(data: z + Raw.be32(index) + Data(info.utf8) + point))
        }
        keys = Data((blocks[0] + blocks[1]).prefix(48))
        let data = try Raw.aes(
            plain, Data(keys.prefix(16)), iv: Self.iv(keys, nonce, version), pads: true)
        var authenticated = data
        if Self.isFull(version) {
            authenticated += Raw.sized(
                target.base, nonce, Raw.be64(time), point, target.associated)
        } else {
            authenticated += target.base
        }
        let mac = Raw.hmac(Data(keys[16..<32]), authenticated)
        members = [
            "ephemeralPublicKey": .string(point.base64EncodedString()),
            "encryptedData": .string(data.base64EncodedString()),
            "mac": .string(mac.base64EncodedString()),
        ]
        if Self.hasNonce(version) { members["nonce"] = .string(nonce.base64EncodedString()) }
        if Self.isFull(version) { members["timestamp"] = .integer(time) }
        if version == "3.3" { members["temporaryKeyId"] = target.keyID.map { .string($0) } }
    }

    private static func iv(_ keys: Data, _ nonce: Data, _ version: String) -> Data {
        hasNonce(version)
            ? Raw.xor16(Raw.hmac(Data(keys.suffix(16)), nonce)) : Data(count: 16)
    }

    /// Whether an answer's code is right; throws if it isn't shaped as its version's.
    func isGenuine(_ answer: JSON?) throws -> Bool {
        let members = try #require(answer?.object)
        let data = try b64(members["encryptedData"]?.string)
        let mac = try b64(members["mac"]?.string)
        let names = Set(members.members.map(\.name))
        guard Self.isFull(target.version) else {
            try #require(names == ["encryptedData", "mac"])
            return Raw.hmac(Data(keys[16..<32]), data + target.base) == mac
        }
        try #require(names == ["encryptedData", "mac", "nonce", "timestamp"])
        let time = Int(try #require(members["timestamp"]?.integer))
        let authenticated = Raw.sized(
            target.base, try b64(members["nonce"]?.string), Raw.be64(time), Data(),
            target.associated)
        return Raw.hmac(Data(keys[16..<32]), data + authenticated) == mac
    }

    /// Opens the answer; throws unless every byte of it is as it should be.
    func open(_ answer: JSON?) throws -> JSON {
        try #require(try isGenuine(answer), "the code is wrong")
        let version = target.version
        let used = Self.isFull(version) ? try b64(answer?["nonce"]?.string) : nonce
        return try JSON(
            parsing: Raw.unaes(
                b64(answer?["encryptedData"]?.string), Data(keys.prefix(16)),
                iv: Self.iv(keys, used, version), pads: true))
    }
}
