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
/// device could tell would let whoever copied it try every PIN.
enum FactorLock {
    /// How many bytes of salt a PIN is stretched with.
    static let saltCount = 16

    /// Stretches a PIN by PBKDF2 (RFC 8018 section 5.2) with HMAC-SHA1, as this protocol does.
    ///
    /// - Parameters:
    ///   - pin: The PIN in UTF-8; not empty.
    ///   - salt: 16 random bytes, drawn anew for each lock.
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
            return key.withUnsafeBytes { Secret($0) }
        } catch {
            throw PushError(.invalidArgument, "The PIN can't be stretched.", underlying: error)
        }
    }

    /// Locks a factor key.
    ///
    /// - Parameters:
    ///   - factorKey: 16 bytes.
    ///   - key: 16 bytes, used for this factor key alone.
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
