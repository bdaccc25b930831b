import PushCore

extension Activations {
    /// Ends the activation: at the server, unless it ends on this device alone, then here. Where the
    /// server would take it, the user is asked for two factors, as it wants them.
    ///
    /// Nothing is removed if the user gives up, a proof is wrong or the server can't be asked: without
    /// the keys nobody could remove it there later.
    ///
    /// - Throws: `PushError`; with the code `blocked` it's removed on this device alone, as the server
    ///   takes nothing from a blocked activation, or from one whose counter it has lost.
    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        guard let record = try await recordToRemove(enrollment) else { return }
        switch try await place == .device ? .gone : stateToRemove(enrollment, record) {
        case .gone: break
        case .uncommitted:
            // It ends by itself at the server, unless the back office commits it all the same.
            channel.notice("An activation was removed before it was committed.", at: enrollment)
        case .refusing(let reason):
            try await channel.delete(enrollment, record)
            throw PushError(
                .blocked, "Removed here, but the server couldn't be told: \(reason)")
        case .active:
            try await removeAtServer(enrollment, record)
        }
        try await channel.delete(enrollment, record)
    }

    /// How a server would take the removal.
    private enum Standing {
        case active
        case gone
        case uncommitted
        case refusing(String)
    }

    /// The record; `nil` if there is nothing left to remove.
    ///
    /// - Throws: `PushError` with the code `malformed` if it's damaged; it's gone then.
    private func recordToRemove(
        _ enrollment: Enrollment.ID
    ) async throws(PushError) -> PowerAuthRecord? {
        do throws(PushError) {
            return try await vault.credential(enrollment).map {
                (credential) throws(PushError) in try PowerAuthRecord(credential)
            }
        } catch  where error.code == .malformed {
            try await channel.delete(enrollment, nil)
            throw PushError(
                .malformed,
                "Removed here; what was on record was damaged, so the server wasn't told.",
                underlying: error)
        }
    }

    /// What the server says now, except where it has said already that it removed the activation:
    /// all else that ends an enrollment here may have been passing.
    private func stateToRemove(
        _ enrollment: Enrollment.ID, _ record: PowerAuthRecord
    ) async throws(PushError) -> Standing {
        guard record.locked != nil else { return .gone }
        let status = try await channel.status(of: enrollment)
        switch status.enrollment.state {
        case .active: return .active
        case .pending: return .uncommitted
        case .needsReenrollment where status.blob.map(\.state) != .removed && status.blob != nil:
            return .refusing("it takes no signature of this device any more.")
        case .needsReenrollment: return .gone
        default: return .refusing("the activation is blocked.")
        }
    }

    private func removeAtServer(
        _ enrollment: Enrollment.ID, _ record: PowerAuthRecord
    ) async throws(PushError) {
        var alternatives: [[Factor]] = [[.pin]]
        if record.locked?.biometry != nil { alternatives.append([.biometry]) }
        let evidence = try await environment.verifier.verify(
            VerificationRequest(
                .manage(enrollment, "remove the activation"), alternatives: alternatives))
        let factors = try FactorKeys(two: evidence)
        let reply = try await channel.signed(
            enrollment, .remove, body: JSON.object([:]).data, factors: factors)
        guard !reply.isSuccess else { return }
        let failure = await channel.failure(reply, of: enrollment, factors: factors)
        // Removed meanwhile: that is what was asked for.
        guard failure.code == .unknownEnrollment else { throw failure }
    }
}
