public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a wire format may use: the world, and its own half of each activation's record.
public struct XignInAccess: Sendable {
    /// The instance of the plugin that asks.
    public let provider: ProviderID

    /// The world. Of its store a format uses ``secret(of:)`` and ``update(_:_:)`` alone.
    public let environment: PushEnvironment

    /// What the app has chosen: the versions it speaks, its biometric keys, how long a PIN is
    /// stretched.
    public let configuration: XignInConfiguration

    /// The activation at a manager: there is one at most, so the manager's identifier names it.
    public func enrollment(at idmIdentifier: String) -> Enrollment.ID {
        Enrollment.ID(idmIdentifier, of: provider)
    }

    /// What the format keeps of an activation; `nil` if there is no such activation.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged.
    public func secret(of enrollment: Enrollment.ID) async throws(PushError) -> Secret? {
        let sealed = try await vault.secret(of: enrollment)
        return try sealed.map { (sealed) throws(PushError) in
            try XignInRecord(reading: sealed).format
        }
    }

    /// Changes what the format keeps of an activation: runs `body` on the newest value until the
    /// write wins. It may run more than once, so it must have no other effect.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such activation,
    ///   `storage` if the store fails, `malformed` if the record is damaged; or what `body` throws.
    public func update(
        _ enrollment: Enrollment.ID, _ body: (inout Secret) throws(PushError) -> Void
    ) async throws(PushError) {
        try await vault.update(enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            try body(&record.format)
            credential.secret = record.sealed
        }
    }
}

extension XignInAccess {
    var vault: Vault { environment.vault(for: provider) }

    var format: any XignInWireFormat { configuration.wireFormat }

    /// Takes a record away, with the key that only biometry unlocks.
    func forget(_ enrollment: Enrollment.ID) async throws(PushError) {
        if let record = try? await secret(of: enrollment) {
            await format.discard(record, using: self)
        }
        try await vault.delete(enrollment)
    }
}

/// Keys for ECDSA with P-256 and SHA-256 that only the user's biometry unlocks, such as those of a
/// secure element. One key serves one activation.
public protocol XignInBiometricKeys: Sendable {
    /// Makes a key.
    ///
    /// - Returns: What finds it again, which is kept in the activation's record, and its public
    ///   half: 64 bytes, both coordinates, each most significant byte first.
    /// - Throws: `PushError` with the code `storage` if the key can't be made, `cancelled` if the
    ///   user gives up.
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
    /// - Throws: `PushError` with the code `verificationFailed` if biometry doesn't unlock the key,
    ///   `cancelled` if the user gives up, `storage` if there is no such key.
    func signature(
        over message: Data, with handle: Secret, evidence: Evidence
    ) async throws(PushError) -> Data

    /// Deletes a key.
    ///
    /// - Throws: `PushError` with the code `storage` if it can't be deleted.
    func deleteKey(_ handle: Secret) async throws(PushError)
}
