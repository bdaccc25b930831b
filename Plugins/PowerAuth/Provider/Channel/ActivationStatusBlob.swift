import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the server says about an activation, for the activation's device alone.
struct ActivationStatusBlob: Sendable {
    /// The states of an activation.
    enum State: UInt8, Sendable {
        case created = 1
        case pendingCommit
        case active
        case blocked
        case removed
    }

    /// How many random bytes the question for the status carries.
    static let challengeCount = 16

    /// The activation's state.
    let state: State

    /// The number of the server's counter, modulo 256.
    let counterByte: UInt8

    /// How many signatures with a PIN or biometrics have failed in a row.
    let failedAttempts: Int

    /// How many may fail until the activation is blocked.
    let maximumAttempts: Int

    /// How many of the counter's values the server tries: 1 to 64.
    let lookAhead: Int

    /// A keyed hash of the value of the server's counter: 16 bytes.
    let counterHash: Secret

    /// How many signatures may still fail; means something while the activation is active.
    var attemptsLeft: Int { max(maximumAttempts - failedAttempts, 0) }

    /// Decrypts a status.
    ///
    /// For an activation that the server no longer has, it sends 32 random bytes. So one that can't
    /// be read means that, perhaps; ask once more with another challenge before believing it.
    ///
    /// - Parameters:
    ///   - encrypted: 32 bytes.
    ///   - challenge: The 16 bytes that the question carried.
    ///   - nonce: The 16 bytes that the reply carried.
    ///   - transportKey: The activation's transport key.
    /// - Throws: `PushError` with the code `malformed` if something isn't of its size, `untrusted` if
    ///   what comes out isn't a status.
    init(
        opening encrypted: Data, challenge: Data, nonce: Data, transportKey: Secret
    ) throws(PushError) {
        guard encrypted.count == 32, challenge.count == Self.challengeCount, nonce.count == 16
        else { throw PushError(.malformed, "A status, or what belongs to it, has a wrong size.") }
        let iv = try Self.vector(challenge: challenge, nonce: nonce, transportKey: transportKey)
        let plain = try BlockCipher.decrypt(encrypted, key: transportKey, iv: iv, padding: false)
        try self.init(reading: plain)
    }

    /// Reads the 32 bytes of a status.
    private init(reading plain: Secret) throws(PushError) {
        let bytes = plain.withBytes { Array($0) }
        guard bytes.count == 32, bytes.starts(with: [0xDE, 0xC0, 0xDE]),
            bytes[3] & 0xF0 == 0xD0, bytes[3] & 0x0F >= 1, let state = State(rawValue: bytes[4]),
            1...64 ~= bytes[15]
        else { throw PushError(.untrusted, "What was decrypted isn't a status.") }
        self.state = state
        counterByte = bytes[12]
        failedAttempts = Int(bytes[13])
        maximumAttempts = Int(bytes[14])
        lookAhead = Int(bytes[15])
        counterHash = Secret(bytes[16...])
    }

    /// The initialization vector of a status: 16 bytes.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the key isn't of 16 bytes.
    static func vector(
        challenge: Data, nonce: Data, transportKey: Secret
    ) throws(PushError) -> [UInt8] {
        let key = try KeyDerivation.key(transportKey, index: 3000)
        return KeyDerivation.internalKey(key, Array(challenge) + Array(nonce))
            .withBytes { Array($0) }
    }
}
