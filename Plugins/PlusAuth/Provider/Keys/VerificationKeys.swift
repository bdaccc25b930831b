import PushCore

/// Keys that were built to verify pushes: building one for RS256 costs a good part of a verification.
///
/// It's a cache of public keys, which may be dropped at any moment. Every push reads its account's
/// credential again, and a key counts only while the credential has the very bytes that it was built
/// from: no key outlives its record, or its replacement there.
final class VerificationKeys: Sendable {
    private static let most = 64

    private typealias Built = (
        stored: Secret, algorithm: PlusAuthKeyAlgorithm, key: AccountVerificationKey
    )

    private let keys = Locked<[Enrollment.ID: Built]>([:])

    /// Forgets every key; the next push builds its own again.
    func dropCaches() { keys.withLock { $0 = [:] } }

    /// The key that a credential has now.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is damaged.
    func key(
        of credential: PlusAuthCredential, _ enrollment: Enrollment.ID
    ) throws(PushError) -> AccountVerificationKey {
        let stored = credential.verification
        if let built = keys.withLock({ $0[enrollment] }), built.algorithm == credential.algorithm,
            built.stored.isEqualInConstantTime(to: stored)
        {
            return built.key
        }
        let key = try credential.verificationKey
        keys.withLock { keys in
            if keys.count >= Self.most { keys = [:] }
            keys[enrollment] = (stored, credential.algorithm, key)
        }
        return key
    }
}
