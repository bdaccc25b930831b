import HTTPTypes
import PushCore
import PushJOSE

extension OpenReferenceWireFormat {
    /// The record with the manager's newest keys, after a push with a key that isn't pinned.
    ///
    /// They come over the channel, signed by a key that is, so a forged push brings in nothing but
    /// one question an hour.
    ///
    /// - Returns: `nil` if it isn't time to ask, or asking brought nothing.
    func askedForKeys(
        _ record: ActivationRecord, of id: Enrollment.ID, using access: XignInAccess
    ) async -> ActivationRecord? {
        guard let activation = record.activation,
            await access.keyQuestions.take(for: id, at: access.environment.clock.elapsed)
        else { return nil }
        do throws(PushError) {
            let channel = OpenReferenceChannel(
                access: access, record: record, issuer: activation)
            let request = SignedRequest(.get, "activations/\(activation)/manager-keys")
            let reply = try await channel.send(request)
            guard case .done(let answer) = reply else { return nil }
            let keys = try ManagerKeys.read(answer)
            var newest = record
            try await access.update(id) { (secret) throws(PushError) in
                newest = try ActivationRecord(secret)
                // Meanwhile the activation may have been made anew, or the signer given up.
                guard newest.activation == activation, let signer = answer.signer,
                    newest.managerKeys[signer] != nil
                else {
                    throw PushError(.untrusted, "The keys are for what was known before.")
                }
                newest.managerKeys = keys
                secret = newest.sealed
            }
            return newest
        } catch {
            access.environment.observer.observe(
                Observation(
                    .noticed, "A manager couldn't be asked for its keys.",
                    provider: access.provider))
            return nil
        }
    }
}
