/// How enrollments arrive that left another device, or this one.
struct Imports: Sendable {
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
        let exporter = try core.provider(id.provider).exporter
        return try await turns.turn(of: id) {
            () async throws(PushError) -> ImportedEnrollment.Result in
            for _ in 0..<3 {
                if let result = try await taken(entry, id, by: exporter) { return result }
            }
            throw PushError(.conflict, "Others kept changing the record; try again.")
        }
    }

    /// Takes an enrollment; `nil` if another process made or removed the record meanwhile.
    private func taken(
        _ entry: ExportContent.Entry, _ id: Enrollment.ID, by exporter: any EnrollmentExporter
    ) async throws(PushError) -> ImportedEnrollment.Result? {
        let accounts = core.environment.accounts(for: id.provider)
        guard try await accounts.record(id) == nil else {
            return try await again(entry, id, by: exporter)
        }
        let made = try exporter.credential(
            from: entry.content, for: entry.enrollment, known: nil)
        let claim = try await exporter.claim(of: made)
        try await close(entry.answered)
        do throws(PushError) {
            try await accounts.create(
                made.enrollment, made.secret, claiming: claim)
        } catch  where error.code == .conflict {
            return nil
        }
        return .taken(made.enrollment)
    }

    /// Takes an enrollment that this device has: nothing changes if it is in use, and it is in use
    /// again if it was moved away; `nil` if another process removed the record meanwhile.
    private func again(
        _ entry: ExportContent.Entry, _ id: Enrollment.ID, by exporter: any EnrollmentExporter
    ) async throws(PushError) -> ImportedEnrollment.Result? {
        let accounts = core.environment.accounts(for: id.provider)
        if try await accounts.record(id)?.departed != nil { try await close(entry.answered) }
        return try await accounts.store.change(accounts.key(id)) {
            (found) throws(PushError) -> (RecordChange<Secret>, ImportedEnrollment.Result?) in
            guard let found else { return (.keep, nil) }
            let known = try CredentialRecord(reading: found, of: id.provider)
            var made = try exporter.credential(
                from: entry.content, for: entry.enrollment, known: known.credential)
            guard known.departed != nil else { return (.keep, .known) }
            made.claims = known.credential.claims
            return (.replace(CredentialRecord(made).sealed), .taken(made.enrollment))
        }
    }

    /// Remembers what was answered on the other device, before anything can come for the enrollment.
    private func close(_ answered: [Withdrawal]) async throws(PushError) {
        for withdrawal in answered {
            _ = try await core.ledger.close(
                withdrawal, isSingleUse: try core.hasSingleUseContext(withdrawal.id))
        }
    }
}
