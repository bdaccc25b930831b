import PushCore

extension PowerAuth {
    /// Whether there can be operations: an activation that waits for its commit is asked about, as
    /// nobody tells this device of that.
    func isCommitted(_ enrollment: Enrollment.ID) async throws(PushError) -> Bool {
        guard case .pending = try await vault.existing(enrollment).enrollment.state else {
            return true
        }
        if case .pending = try await channel.status(of: enrollment).enrollment.state {
            return false
        }
        return true
    }

    /// Brings the counters together where they may have parted by much, as codes of offline
    /// operations do: a PIN that the server can't check any more would cost an attempt.
    func letServerFollow(_ enrollment: Enrollment.ID) async throws(PushError) {
        let record = try PowerAuthRecord(try await vault.existing(enrollment))
        guard record.ahead >= record.greatestLead else { return }
        try await channel.requireActive(enrollment)
    }

    /// Whether biometry was set up for an activation.
    func hasBiometry(_ enrollment: Enrollment.ID) async throws(PushError) -> Bool {
        let record = try PowerAuthRecord(try await vault.existing(enrollment))
        return record.locked?.biometry != nil
    }

    /// The operation that a proximity code came with, and the code for its approval.
    ///
    /// - Parameter claims: Whether the operation becomes this user's. Where there are several
    ///   activations, a link doesn't say whose it is, so each only sees what it has already.
    func found(
        _ code: ReceivedProximityCode, at enrollment: Enrollment.ID, claims: Bool
    ) async throws(PushError) -> [Announcement] {
        let id = Challenge.ID(code.operation, of: enrollment)
        let operation = claims ? try await claim(id) : try await operation(id)
        guard operation.status == .pending else { return [] }
        return [
            Announcement(
                notice(of: operation, at: enrollment),
                context: AnnouncedForm.operation(code).context, renewsContext: true)
        ]
    }
}
