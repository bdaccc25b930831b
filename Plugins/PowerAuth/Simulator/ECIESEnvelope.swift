import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whom an envelope is for, and all that its keys and codes are bound to but the key itself.
struct ECIESScope {
    let version: ProtocolVersion
    let application: PowerAuthSimulator.Application
    /// The activation and its transport key; `nil` in the application's scope.
    let activation: (id: String, transport: Data)?

    /// The first part of what is authenticated beside the data.
    var base: Data {
        let secret = Data(application.secret.utf8)
        guard let activation else { return Data(SHA256.hash(data: secret)) }
        return KeySchedule.mac(activation.transport, secret)
    }

    func associatedData(temporaryKey: String?) -> Data {
        guard version >= .v32 else { return Data() }
        var parts = [version.rawValue, application.key]
        if let activation { parts.append(activation.id) }
        if version >= .v33, let temporaryKey { parts.append(temporaryKey) }
        return .sized(parts.map { Data($0.utf8) })
    }

    /// What replays are counted by.
    var replayName: String { activation?.id ?? application.key }
}

/// An encrypted request as it came, with exactly the members that its version has.
struct ECIESEnvelope {
    let version: ProtocolVersion
    let ephemeral: Data
    let data: Data
    let mac: Data
    let nonce: Data
    let timestamp: UInt64?
    let temporaryKey: String?

    init?(_ json: JSON?, version: ProtocolVersion) {
        guard let members = json?.object else { return nil }
        var names: Set<String> = ["ephemeralPublicKey", "encryptedData", "mac"]
        if version >= .v31 { names.insert("nonce") }
        if version >= .v32 { names.insert("timestamp") }
        if version >= .v33 { names.insert("temporaryKeyId") }
        guard members.count == names.count, members.hasOnly(names),
            let ephemeral = Data(base64: members["ephemeralPublicKey"]?.string),
            let data = Data(base64: members["encryptedData"]?.string),
            let mac = Data(base64: members["mac"]?.string, count: 32)
        else { return nil }
        self.version = version
        self.ephemeral = ephemeral
        self.data = data
        self.mac = mac
        if version >= .v31 {
            guard let nonce = Data(base64: members["nonce"]?.string, count: 16) else { return nil }
            self.nonce = nonce
        } else {
            nonce = Data()
        }
        timestamp = members["timestamp"]?.integer.flatMap { UInt64(exactly: $0) }
        temporaryKey = members["temporaryKeyId"]?.string
        if version >= .v32, timestamp == nil { return nil }
        if version >= .v33, temporaryKey == nil { return nil }
    }

    /// Agrees on the keys of one exchange; `nil` if the ephemeral key is no point.
    func session(
        with key: P256.KeyAgreement.PrivateKey, sharedInfo: String, in scope: ECIESScope
    ) -> ECIESSession? {
        guard let peer = P256.KeyAgreement.PublicKey(point: ephemeral),
            let shared = try? key.sharedSecretFromKeyAgreement(with: peer)
        else { return nil }
        let prefix = version >= .v32 ? version.rawValue : ""
        let keys = shared.x963DerivedSymmetricKey(
            using: SHA256.self, sharedInfo: Data((prefix + sharedInfo).utf8) + ephemeral,
            outputByteCount: 48)
        return ECIESSession(
            keys: keys.withUnsafeBytes { Data($0) }, scope: scope, temporaryKey: temporaryKey)
    }
}

/// The keys of one exchange, and what its codes are bound to.
struct ECIESSession {
    private var encryptionKey: Data
    private var macKey: Data
    private var ivKey: Data
    private let version: ProtocolVersion
    private let base: Data
    private let associated: Data

    init(keys: Data, scope: ECIESScope, temporaryKey: String?) {
        encryptionKey = Data(keys.prefix(16))
        macKey = Data(keys.dropFirst(16).prefix(16))
        ivKey = Data(keys.suffix(16))
        version = scope.version
        base = scope.base
        associated = scope.associatedData(temporaryKey: temporaryKey)
    }

    /// The same exchange with keys that the other side doesn't have.
    func withOtherKeys(_ keys: Data) -> ECIESSession {
        var other = self
        other.encryptionKey = Data(keys.prefix(16))
        other.macKey = Data(keys.dropFirst(16).prefix(16))
        other.ivKey = Data(keys.suffix(16))
        return other
    }

    private func iv(_ nonce: Data) -> Data {
        version >= .v31 ? KeySchedule.deriveInternal(ivKey, nonce) : Data(count: 16)
    }

    private func mac(_ data: Data, nonce: Data, timestamp: UInt64?, ephemeral: Data) -> Data {
        guard version >= .v32 else { return KeySchedule.mac(macKey, data + base) }
        let time = Data(bigEndian: timestamp ?? 0)
        return KeySchedule.mac(
            macKey, data + .sized([base, nonce, time, ephemeral, associated]))
    }

    /// The plaintext, once the code is right.
    func open(_ envelope: ECIESEnvelope) -> Data? {
        let expected = mac(
            envelope.data, nonce: envelope.nonce, timestamp: envelope.timestamp,
            ephemeral: envelope.ephemeral)
        guard expected.isEqualInConstantTime(to: envelope.mac) else { return nil }
        return KeySchedule.decipher(envelope.data, key: encryptionKey, iv: iv(envelope.nonce))
    }

    /// The response. Version 3.1 uses the request's nonce again, later ones have their own.
    func seal(
        _ plain: Data, to envelope: ECIESEnvelope, nonce: Data, at timestamp: UInt64
    ) -> JSON.Object? {
        let nonce = version >= .v32 ? nonce : envelope.nonce
        guard
            let data = KeySchedule.cipher(plain, key: encryptionKey, iv: iv(nonce), padding: true)
        else { return nil }
        let mac = mac(data, nonce: nonce, timestamp: timestamp, ephemeral: Data())
        var members: JSON.Object = [
            "encryptedData": .string(data.base64), "mac": .string(mac.base64),
        ]
        if version >= .v32 {
            members["nonce"] = .string(nonce.base64)
            members["timestamp"] = JSON(timestamp)
        }
        return members
    }
}
