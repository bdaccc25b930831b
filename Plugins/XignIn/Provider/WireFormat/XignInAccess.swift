public import PushCore

/// What a wire format may use: the world, and its own half of each activation's record.
public struct XignInAccess: Sendable {
    /// The instance of the plugin that asks.
    public let provider: ProviderID

    /// The world. Of its store a format changes its own part of a record alone: ``change(_:_:)``.
    public let environment: PushEnvironment

    /// What the app has chosen: the versions it speaks, how long a PIN is stretched.
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

    /// Takes a record away, with what the format keeps elsewhere.
    func forget(_ account: Account) async throws(PushError) {
        if let record = try? record(of: account, as: Secret.self) {
            await format.discard(record, using: self)
        }
        try await accounts.delete(account.id)
    }
}
