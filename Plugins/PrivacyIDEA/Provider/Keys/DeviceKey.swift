import Crypto
import CryptoExtras
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The device's private key for one token: what it signs answers and requests with. It belongs to the
/// token alone, and never leaves the device.
struct DeviceKey: Sendable {
    private let key: _RSA.Signing.PrivateKey

    /// Makes a new key, away from the caller's actor: it takes up to seconds.
    @concurrent static func generate(
        _ size: PrivacyIDEA.KeySize
    ) async throws(PushError) -> DeviceKey {
        do {
            return DeviceKey(
                try _RSA.Signing.PrivateKey(keySize: .init(bitCount: size.rawValue)))
        } catch {
            throw PushError(.invalidArgument, "No RSA key could be made.", underlying: error)
        }
    }

    private init(_ key: _RSA.Signing.PrivateKey) {
        self.key = key
    }

    /// Reads a key from its DER.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't one of RSA.
    init(stored: Secret) throws(PushError) {
        let key = stored.withBytes { try? _RSA.Signing.PrivateKey(derRepresentation: $0) }
        guard let key else {
            throw PushError(.malformed, "A credential's key isn't an RSA key.")
        }
        self.key = key
    }

    /// The key as a credential keeps it.
    var stored: Secret { Secret(key.derRepresentation) }

    /// The public half as the server takes it: SubjectPublicKeyInfo in Base64, on one line.
    var publicText: String { key.publicKey.derRepresentation.base64EncodedString() }

    /// A signature in Base32: PKCS#1 v1.5 with SHA-256. The library's own default would be PSS.
    func signature(over text: String) throws(PushError) -> String {
        do {
            let digest = SHA256.hash(data: Data(text.utf8))
            return Base32.encode(
                try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        } catch {
            throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
        }
    }
}

/// The key that signed last: reading a key takes two thirds of the time of a signature by it, and a token
/// that polls signs every few seconds.
///
/// It is one key alone. It counts only for a credential that has the very bytes it was read from, and it
/// goes with its enrollment.
actor DeviceKeys {
    private var last: (stored: Secret, key: DeviceKey)?

    /// The key that a credential keeps.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is damaged.
    func key(stored: Secret) throws(PushError) -> DeviceKey {
        if let last, last.stored.isEqualInConstantTime(to: stored) { return last.key }
        last = nil
        let key = try DeviceKey(stored: stored)
        last = (stored, key)
        return key
    }

    /// Whether it holds a key.
    var isEmpty: Bool { last == nil }

    /// Forgets the key; the next signature reads its own again.
    func dropCaches() { last = nil }
}

/// Where the key pair of a new token comes from.
struct DeviceKeySource: Sendable {
    private let make: @Sendable (PrivacyIDEA.KeySize) async throws(PushError) -> DeviceKey

    init(_ make: @escaping @Sendable (PrivacyIDEA.KeySize) async throws(PushError) -> DeviceKey) {
        self.make = make
    }

    /// A new pair for each token.
    static let fresh = DeviceKeySource { (size) async throws(PushError) in
        try await DeviceKey.generate(size)
    }

    func key(_ size: PrivacyIDEA.KeySize) async throws(PushError) -> DeviceKey {
        try await make(size)
    }
}
