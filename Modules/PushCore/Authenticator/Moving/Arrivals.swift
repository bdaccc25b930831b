/// How enrollments arrive that left another device, or this one.
struct Arrivals: Sendable {
    let core: AuthenticatorCore
    let turns: EnrollmentTurns

    /// Takes what an export holds. An enrollment that can't be taken hinders no other.
    func take(_ content: ExportContent) async -> [ImportedEnrollment] {
        var imported: [ImportedEnrollment] = []
        for entry in content.entries {
            let id = entry.enrollment.id
            let result: ImportedEnrollment.Result
            do throws(PushError) {
                result = try await take(entry, id)
            } catch {
                result = .left(error.attributed(to: id.provider))
            }
            imported.append(ImportedEnrollment(enrollment: entry.enrollment, result: result))
        }
        return imported
    }

    private func take(
        _ entry: ExportContent.Entry, _ id: Enrollment.ID
    ) async throws(PushError) -> ImportedEnrollment.Result {
        let mover = try core.provider(id.provider).mover
        return try await turns.turn(of: id) {
            () async throws(PushError) -> ImportedEnrollment.Result in
            for _ in 0..<3 {
                do throws(PushError) {
                    return try await taken(entry, id, by: mover)
                } catch  where error.code == .conflict && error.underlying is Overtaken {}
            }
            throw PushError(.conflict, "Others kept changing the record; try again.")
        }
    }

    private func taken(
        _ entry: ExportContent.Entry, _ id: Enrollment.ID, by mover: any EnrollmentMover
    ) async throws(PushError) -> ImportedEnrollment.Result {
        let vault = core.environment.vault(for: id.provider)
        guard try await vault.record(id) == nil else {
            return try await again(entry, id, by: mover)
        }
        let made = try mover.credential(
            from: entry.content, for: entry.enrollment, known: nil)
        let claim = try await mover.claim(of: made)
        try await close(entry.answered)
        do throws(PushError) {
            try await vault.create(made, claiming: claim)
        } catch  where error.code == .conflict {
            throw PushError(.conflict, "Another process has just made it.", underlying: Overtaken())
        }
        return .taken(made.enrollment)
    }

    /// Takes an enrollment that this device has: nothing changes if it is in use, and it is in use again
    /// if it was moved away.
    private func again(
        _ entry: ExportContent.Entry, _ id: Enrollment.ID, by mover: any EnrollmentMover
    ) async throws(PushError) -> ImportedEnrollment.Result {
        let vault = core.environment.vault(for: id.provider)
        if try await vault.record(id)?.departed != nil { try await close(entry.answered) }
        return try await vault.store.change(vault.key(id)) {
            (found) throws(PushError) -> (RecordChange<Secret>, ImportedEnrollment.Result) in
            guard let found else {
                throw PushError(
                    .conflict, "Another process has just removed it.", underlying: Overtaken())
            }
            let known = try CredentialRecord(reading: found, of: id.provider)
            var made = try mover.credential(
                from: entry.content, for: entry.enrollment, known: known.credential)
            guard known.departed != nil else { return (.keep, .known) }
            made.claims = known.credential.claims
            return (.replace(try CredentialRecord(made).sealed), .taken(made.enrollment))
        }
    }

    /// Remembers what was answered on the other device, before anything can come for the enrollment.
    private func close(_ answered: [Withdrawal]) async throws(PushError) {
        for withdrawal in answered {
            _ = try await core.ledger.close(
                withdrawal, isSingleUse: try core.hasSingleUseContext(withdrawal.id))
        }
    }

    /// Somebody else made or removed the record at the same time.
    private struct Overtaken: Error {}
}
