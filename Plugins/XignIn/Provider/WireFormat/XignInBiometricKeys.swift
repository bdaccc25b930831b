public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keys for ECDSA with P-256 and SHA-256 that only the user's biometry unlocks, such as those of a
/// secure element. One key serves one activation.
public protocol XignInBiometricKeys: Sendable {
    /// Makes a key.
    ///
    /// - Returns: What finds it again, which is kept in the activation's record, and its public
    ///   half: 64 bytes, both coordinates, each most significant byte first.
    func makeKey(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> (handle: Secret, publicKey: Data)

    /// Signs.
    ///
    /// - Parameters:
    ///   - message: What is signed; it is hashed with SHA-256.
    ///   - handle: What ``makeKey(for:)`` returned.
    ///   - evidence: What the app's verifier brought.
    /// - Returns: `r` and `s`, 32 bytes each.
    func signature(
        over message: Data, with handle: Secret, evidence: Evidence
    ) async throws(PushError) -> Data

    /// Deletes a key.
    func deleteKey(_ handle: Secret) async throws(PushError)
}
