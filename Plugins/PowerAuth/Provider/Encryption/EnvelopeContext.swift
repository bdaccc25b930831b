import Crypto
import PushCore

/// What seals a request and opens its response, and nothing else: one exchange.
struct EnvelopeContext: Sendable {
    static let nonceByteCount = 16
    static let codeByteCount = 32

    let version: PowerAuthVersion
    let keys: EnvelopeKeys

    /// `SI2base`, 32 bytes.
    let sharedInfo2: [UInt8]

    /// Covered from version 3.2 on.
    let associatedData: [UInt8]

    /// A nonce and a time in milliseconds since 1970, as a request or a response carries them.
    struct Freshness: Sendable {
        let nonce: [UInt8]
        let timestamp: Int64
    }

    /// Encrypts and authenticates.
    ///
    /// - Parameter ephemeral: The ephemeral public key as it is encoded in the request; empty in a
    ///   response.
    /// - Returns: The ciphertext and its code.
    func seal(
        _ plain: Secret, _ freshness: Freshness, ephemeral: [UInt8]
    ) throws(PushError) -> (data: [UInt8], mac: [UInt8]) {
        let data = try BlockCipher.encrypt(
            plain, key: keys.encryption, iv: keys.vector(for: freshness.nonce), padding: true)
        let covered = data + covered(freshness, ephemeral: ephemeral)
        let mac = keys.authentication.withBytes { key in
            Array(HMAC<SHA256>.authenticationCode(for: covered, using: SymmetricKey(data: key)))
        }
        return (data, mac)
    }

    /// Checks the code in constant time, and only then decrypts.
    ///
    /// - Parameter vectorNonce: The nonce that the initialization vector comes from; up to version
    ///   3.1 that's the request's.
    func open(
        _ data: [UInt8], mac: [UInt8], _ freshness: Freshness, vectorNonce: [UInt8]
    ) throws(PushError) -> Secret {
        let covered = data + covered(freshness, ephemeral: [])
        let isGenuine = keys.authentication.withBytes { key in
            HMAC<SHA256>.isValidAuthenticationCode(
                mac, authenticating: covered, using: SymmetricKey(data: key))
        }
        guard isGenuine else { throw Self.untrusted }
        return try BlockCipher.decrypt(
            data, key: keys.encryption, iv: keys.vector(for: vectorNonce), padding: true)
    }

    /// What the code covers after the ciphertext.
    ///
    /// - Parameter ephemeral: Empty in a response.
    func covered(_ freshness: Freshness, ephemeral: [UInt8]) -> [UInt8] {
        guard version != .v3_1 else { return sharedInfo2 }
        return SizedParts.joined(
            sharedInfo2, freshness.nonce, Self.bigEndian(freshness.timestamp), ephemeral,
            associatedData)
    }

    private static func bigEndian(_ value: Int64) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// The one error of whatever can't be opened: which check failed would help a forger.
    static let untrusted = PushError(.untrusted, "The response's envelope can't be opened.")
}
