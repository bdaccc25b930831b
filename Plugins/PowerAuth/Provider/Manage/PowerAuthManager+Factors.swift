public import PushCore

extension PowerAuthManager {
    /// Asks the server whether a PIN is right. Nobody else can tell, and a wrong one counts.
    ///
    /// - Parameter pin: The PIN in UTF-8.
    /// - Throws: `PushError` with the code `notTaken` if it's wrong, with the attempts that are left;
    ///   `blocked` if that was the last one.
    public func validatePIN(_ pin: Secret) async throws(PushError) {
        try await turn { (channel) async throws(PushError) in
            try await channel.validate(.pin(pin), of: enrollment)
        }
    }

    /// Replaces the PIN.
    ///
    /// The server has to take the old one first: locking anew what a wrong PIN unlocked would lose
    /// the key for good.
    ///
    /// - Parameters:
    ///   - old: The PIN in UTF-8.
    ///   - new: The new PIN in UTF-8, of at least ``PowerAuthConfiguration/minimumPINLength`` bytes.
    /// - Throws: `PushError` as ``validatePIN(_:)``; `verificationFailed` if the new one is too short,
    ///   `conflict` if another process changed the PIN meanwhile. The old one stays then.
    public func changePIN(from old: Secret, to new: Secret) async throws(PushError) {
        try await turn { (channel) async throws(PushError) in
            let replacement = try await activations.stretched(new: new)
            let record = try PowerAuthRecord(try await channel.vault.existing(enrollment))
            guard let lock = record.locked?.knowledge else {
                throw PushError(.unknownEnrollment, "The server has removed the activation.")
            }
            let known = try await PINLock.Stretched(old, for: lock)
            try await channel.validate(.pin(old), of: enrollment)
            try await channel.vault.update(enrollment) { (credential) throws(PushError) in
                var record = try PowerAuthRecord(credential)
                // A salt serves one PIN: with the same one, this is the lock that was verified.
                guard let knowledge = try record.locked?.knowledge.key(under: known) else {
                    throw PushError(.conflict, "The PIN was changed meanwhile.")
                }
                record.locked?.knowledge = try PINLock(knowledge, under: replacement)
                credential.secret = record.sealed
            }
        }
    }

    /// Whether biometry can take the PIN's place.
    public func hasBiometry() async throws(PushError) -> Bool {
        try await activations.hasBiometry(enrollment)
    }

    /// Forgets the key that biometry unlocks. Only a new activation sets it up again.
    public func removeBiometry() async throws(PushError) {
        try await turn { (channel) async throws(PushError) in
            try await channel.vault.update(enrollment) { (credential) throws(PushError) in
                var record = try PowerAuthRecord(credential)
                record.locked?.biometry = nil
                credential.secret = record.sealed
            }
        }
    }
}

extension PowerAuthChannel {
    /// Has the server verify factors, for no other purpose.
    func validate(_ factors: FactorKeys, of id: Enrollment.ID) async throws(PushError) {
        // The reason is for the server's records alone; this one is ours.
        let reply = try await signed(
            id, .validate, body: JSON.reason("PIN_VALIDATION").data, factors: factors)
        guard reply.isSuccess else { throw await failure(reply, of: id, factors: factors) }
    }
}
