import Crypto
import PushCore

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
