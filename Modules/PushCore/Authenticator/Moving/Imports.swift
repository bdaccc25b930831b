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
            (turn) async throws(PushError) -> ImportedEnrollment.Result in
            for _ in 0..<3 {
                do throws(PushError) {
                    guard let hand = try await turn.handIfAny() else {
                        return try await taken(entry, id, by: exporter)
                    }
                    return try await again(entry, in: hand, by: exporter)
                } catch  where [.conflict, .unknownEnrollment].contains(error.code) {
                    // Another process has made or removed it meanwhile.
                }
            }
            throw PushError(.conflict, "Others kept changing the record; try again.")
        }
    }

    /// Takes an enrollment that this device doesn't have: `conflict` if another process made it
    /// meanwhile.
    private func taken(
        _ entry: ExportContent.Entry, _ id: Enrollment.ID, by exporter: any EnrollmentExporter
    ) async throws(PushError) -> ImportedEnrollment.Result {
        let made = try exporter.credential(
            from: entry.content, for: entry.enrollment, known: nil)
        let claim = try await exporter.claim(of: made)
        _ = try await core.environment.accounts(for: id.provider).create(
            made.enrollment, made.secret, claiming: claim, after: entry.past)
        return .taken(made.enrollment)
    }

    /// Takes an enrollment that this device has: nothing changes if it is in use, and it is in use
    /// again if it was moved away.
    private func again(
        _ entry: ExportContent.Entry, in hand: DocumentInHand, by exporter: any EnrollmentExporter
    ) async throws(PushError) -> ImportedEnrollment.Result {
        try await hand.change { (document) throws(PushError) in
            let known = Credential(document.head.enrollment, secret: document.credential)
            let made = try exporter.credential(
                from: entry.content, for: entry.enrollment, known: known)
            guard document.head.departed != nil else { return .known }
            document.head.departed = nil
            document.reenroll(made.enrollment, made.secret)
            document.adopt(entry.past)
            return .taken(made.enrollment)
        }
    }
}
