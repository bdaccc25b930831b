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

    /// The world. Of its store a format changes its own part of a record alone: ``change(_:_:)``.
    public let environment: PushEnvironment

    /// What the app has chosen: the versions it speaks, its biometric keys, how long a PIN is
    /// stretched.
    public let configuration: XignInConfiguration

    /// The activations: while a message is verified, those that are lent for it.
    var accounts: Accounts

    /// The activation at a manager: there is one at most, so the manager's identifier names it.
    public func enrollment(at idmIdentifier: String) -> Enrollment.ID {
        Enrollment.ID(idmIdentifier, of: provider)
    }

    /// The activation that a message names by its manager; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged, `movedAway` if it was moved to another device.
    public func account(at idmIdentifier: String) async throws(PushError) -> Account? {
        try await accounts.account(enrollment(at: idmIdentifier))
    }

    /// What the format keeps of an activation, as a type of its own or as bytes.
    ///
    /// - Throws: `PushError` with the code `malformed` if the record is damaged.
    public func record<Record: ProviderCredential>(
        of account: Account, as _: Record.Type = Record.self
    ) throws(PushError) -> Record {
        try account.credential(as: XignInRecord.self).format(as: Record.self)
    }

    /// Changes what the format keeps of an activation: runs `body` on the newest value until the
    /// write wins. It may run more than once, so it must have no other effect.
    ///
    /// - Returns: What the last run of `body` returned.
    /// - Throws: `PushError` with the code `unknownEnrollment` if the activation is gone, `storage`
    ///   if the store fails, `malformed` if the record is damaged; or what `body` throws.
    public func change<Record: ProviderCredential, Value>(
        _ account: Account, _ body: (inout Record) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await account.change { (kept: inout XignInRecord, _) throws(PushError) in
            var record = try kept.format(as: Record.self)
            let value = try body(&record)
            kept.format = record.sealed
            return value
        }
    }
}

extension XignInAccess {
    var format: any XignInWireFormat { configuration.wireFormat }

    /// Takes a record away, with the key that only biometry unlocks.
    func forget(_ account: Account) async throws(PushError) {
        if let record = try? record(of: account, as: Secret.self) {
            await format.discard(record, using: self)
        }
        try await accounts.delete(account.id)
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
