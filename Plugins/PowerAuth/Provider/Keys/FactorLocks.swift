import Crypto
import CryptoExtras
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How factor keys are kept on the device.
///
/// A key is locked in one AES block without padding, tag or checksum: unlocked with a wrong PIN it
/// is a wrong key, and only the server can tell, which counts attempts. Anything by which the
/// device could tell would let a thief of a copy try every PIN.
enum FactorLock {
    /// How many bytes of salt a PIN is stretched with.
    static let saltCount = 16

    /// Stretches a PIN by PBKDF2 (RFC 8018 section 5.2) with HMAC-SHA1, as this protocol does.
    ///
    /// - Parameters:
    ///   - pin: The PIN in UTF-8; not empty.
    ///   - salt: 16 random bytes, other ones for each lock.
    ///   - iterations: From 1 to 100 million.
    /// - Returns: A key of 16 bytes.
    /// - Throws: `PushError` with the code `invalidArgument`.
    @concurrent static func key(
        fromPIN pin: Secret, salt: Data, iterations: Int
    ) async throws(PushError) -> Secret {
        guard pin.count > 0, salt.count == saltCount, 1...100_000_000 ~= iterations else {
            throw PushError(
                .invalidArgument, "A PIN, a salt of 16 bytes and a number of rounds are needed.")
        }
        do {
            // "Unchecked" only means without the library's own floor for SHA-1, which is for
            // stored password hashes and far above what this vendor's apps use. Here nothing that
            // is stored tests a guess; `PowerAuthConfiguration.pinIterations` says why its number
            // is enough.
            let key = try pin.withBytes {
                try KDF.Insecure.PBKDF2.deriveKey(
                    from: $0, salt: salt, using: .insecureSHA1, outputByteCount: 16,
                    unsafeUncheckedRounds: iterations)
            }
            return key.withUnsafeBytes { Secret(copying: $0) }
        } catch {
            throw PushError(.invalidArgument, "The PIN can't be stretched.", underlying: error)
        }
    }

    /// Locks a factor key.
    ///
    /// - Parameters:
    ///   - factorKey: 16 bytes.
    ///   - key: 16 bytes, used for this factor key alone.
    /// - Returns: The locked key.
    /// - Throws: `PushError` with the code `invalidArgument` if either has another size.
    static func lock(_ factorKey: Secret, with key: Secret) throws(PushError) -> Secret {
        try check(factorKey)
        return try Secret(
            BlockCipher.encrypt(factorKey, key: key, iv: BlockCipher.zeroIV, padding: false))
    }

    /// Unlocks a factor key. A wrong key isn't noticed: the result is a wrong factor key.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if either isn't of 16 bytes.
    static func unlock(_ locked: Secret, with key: Secret) throws(PushError) -> Secret {
        try check(locked)
        return try BlockCipher.decrypt(
            locked.withBytes { Array($0) }, key: key, iv: BlockCipher.zeroIV, padding: false)
    }

    private static func check(_ key: Secret) throws(PushError) {
        guard key.count == BlockCipher.blockCount else {
            throw PushError(.invalidArgument, "A factor key has 16 bytes.")
        }
    }
}

/// The key of knowledge under a PIN.
///
/// A wrong PIN gives a wrong key, and nothing here tells which it is: only the server can, and counts.
struct PINLock: Sendable {
    /// What the PIN is stretched with; another one for each PIN.
    let salt: Data

    /// How often it is stretched.
    let iterations: Int

    /// The locked key.
    let locked: Secret

    /// How a PIN was stretched, and what came of it.
    struct Stretched: Sendable {
        let salt: Data
        let iterations: Int
        let key: Secret

        /// Stretches a PIN that the user chose, with a fresh salt.
        ///
        /// - Throws: `PushError` with the code `verificationFailed` if it's too short.
        init(
            new pin: Secret, _ configuration: PowerAuthConfiguration, random: any RandomSource
        ) async throws(PushError) {
            guard pin.count >= max(configuration.minimumPINLength, 1) else {
                throw PushError(
                    .verificationFailed,
                    "The new PIN is shorter than \(configuration.minimumPINLength) bytes.")
            }
            let salt = random.bytes(FactorLock.saltCount).withBytes { Data($0) }
            try await self.init(pin, salt: salt, iterations: configuration.pinIterations)
        }

        /// Stretches a PIN as a lock has it.
        init(_ pin: Secret, for lock: PINLock) async throws(PushError) {
            try await self.init(pin, salt: lock.salt, iterations: lock.iterations)
        }

        private init(_ pin: Secret, salt: Data, iterations: Int) async throws(PushError) {
            self.salt = salt
            self.iterations = iterations
            key = try await FactorLock.key(fromPIN: pin, salt: salt, iterations: iterations)
        }
    }

    /// A lock that is on record.
    init(salt: Data, iterations: Int, locked: Secret) {
        self.salt = salt
        self.iterations = iterations
        self.locked = locked
    }

    /// Locks a key under a new PIN.
    init(_ knowledge: Secret, under pin: Stretched) throws(PushError) {
        self.init(
            salt: pin.salt, iterations: pin.iterations,
            locked: try FactorLock.lock(knowledge, with: pin.key))
    }

    /// The key, or a wrong one; `nil` if the PIN was stretched for another lock.
    func key(under pin: Stretched) throws(PushError) -> Secret? {
        guard pin.salt == salt, pin.iterations == iterations else { return nil }
        return try FactorLock.unlock(locked, with: pin.key)
    }
}

/// The key of biometry under the secret that the app's verifier brings once biometry has unlocked it.
enum BiometricLock {
    /// The fewest bytes that can't be guessed.
    static let secretCount = 16

    static func lock(_ biometry: Secret, under secret: Secret) throws(PushError) -> Secret {
        try FactorLock.lock(biometry, with: try key(from: secret))
    }

    /// The key, or a wrong one: as with a PIN, only the server can tell.
    static func unlock(_ locked: Secret, with secret: Secret) throws(PushError) -> Secret {
        try FactorLock.unlock(locked, with: try key(from: secret))
    }

    /// Refuses what could be guessed.
    ///
    /// - Throws: `PushError` with the code `verificationFailed`.
    static func check(_ secret: Secret) throws(PushError) {
        guard secret.count >= secretCount else {
            throw PushError(
                .verificationFailed,
                "The secret that biometry unlocks has less than \(secretCount) bytes.")
        }
    }

    /// Any greater length will do, as secure hardware hands out what it likes.
    private static func key(from secret: Secret) throws(PushError) -> Secret {
        try check(secret)
        return secret.withBytes { Secret(Array(SHA256.hash(data: $0))) }.folded()
    }
}
