import Crypto
import CryptoExtras
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The derivations of protocol 3.x ("Key derivation" in powerauth-crypto's documentation).
enum KeySchedule {
    /// First half XOR second half.
    static func fold(_ bytes: Data) -> Data {
        let half = bytes.count / 2
        return Data(zip(bytes.prefix(half), bytes.dropFirst(half)).map { $0 ^ $1 })
    }

    /// One AES block, of an index.
    static func derive(_ key: Data, index: UInt64) -> Data {
        let block = Data(count: 8) + Data(bigEndian: index)
        return cipher(block, key: key, iv: Data(count: 16), padding: false) ?? Data(count: 16)
    }

    /// Half an HMAC, of data.
    static func deriveInternal(_ key: Data, _ data: Data) -> Data {
        fold(mac(key, data))
    }

    /// The hash counter's next value.
    static func next(_ counter: Data) -> Data {
        fold(Data(SHA256.hash(data: counter)))
    }

    static func mac(_ key: Data, _ message: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    /// AES-128-CBC.
    static func cipher(_ plain: Data, key: Data, iv: Data, padding: Bool) -> Data? {
        guard key.count == 16, let iv = try? AES._CBC.IV(ivBytes: iv) else { return nil }
        let key = SymmetricKey(data: key)
        return try? AES._CBC.encrypt(plain, using: key, iv: iv, noPadding: !padding)
    }

    /// The plaintext of AES-128-CBC with padding.
    static func decipher(_ data: Data, key: Data, iv: Data) -> Data? {
        guard key.count == 16, !data.isEmpty, let iv = try? AES._CBC.IV(ivBytes: iv) else {
            return nil
        }
        return try? AES._CBC.decrypt(data, using: SymmetricKey(data: key), iv: iv)
    }

    /// The last 31 bits as decimal digits.
    static func decimal(_ hash: Data, digits: Int) -> String {
        let number = hash.suffix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt64(1)) { power, _ in power * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}

/// The keys that a server and one device share.
struct ActivationKeys: Sendable {
    let possession: Data
    let knowledge: Data
    let biometry: Data
    let transport: Data
    let vault: Data

    init(masterSecret: Data) {
        possession = KeySchedule.derive(masterSecret, index: 1)
        knowledge = KeySchedule.derive(masterSecret, index: 2)
        biometry = KeySchedule.derive(masterSecret, index: 3)
        transport = KeySchedule.derive(masterSecret, index: 1000)
        vault = KeySchedule.derive(masterSecret, index: 2000)
    }

    /// Agrees on the keys with a device.
    init?(server: P256.KeyAgreement.PrivateKey, device: P256.KeyAgreement.PublicKey) {
        guard let secret = server.secret(with: device) else { return nil }
        self.init(masterSecret: KeySchedule.fold(secret))
    }

    /// What a device and a back office compare: 8 digits.
    static func fingerprint(
        device: P256.KeyAgreement.PublicKey, activation: String,
        server: P256.KeyAgreement.PublicKey
    ) -> String {
        let coordinates = [device, server].map { key in
            // A coordinate is a number here: without zeros in front.
            Data(key.rawRepresentation.prefix(32).drop { $0 == 0 })
        }
        let hashed = coordinates[0] + Data(activation.utf8) + coordinates[1]
        return KeySchedule.decimal(Data(SHA256.hash(data: hashed)), digits: 8)
    }
}
