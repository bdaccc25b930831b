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
        let provider = try core.provider(id.provider)
        return try await turns.turn(of: id) {
            (turn) async throws(PushError) -> ImportedEnrollment.Result in
            for _ in 0..<3 {
                do throws(PushError) {
                    guard let hand = try await turn.handIfAny() else {
                        return try await taken(entry, id, by: provider)
                    }
                    return try await again(entry, in: hand, by: provider)
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
        _ entry: ExportContent.Entry, _ id: Enrollment.ID, by provider: any PushProvider
    ) async throws(PushError) -> ImportedEnrollment.Result {
        let exporter = provider.exporter
        let made = try exporter.credential(
            from: entry.content, for: entry.enrollment, known: nil)
        let claim = try await exporter.claim(of: made)
        let half = try provider.half(of: made)
        // Guarded as it was where it comes from, or not taken.
        let new = entry.enrollment.guardPolicy.map { NewGuard($0) }
        let account = try await NewGuard.current.withValue(new) {
            await Result { () async throws(PushError) in
                try await core.environment.accounts(for: id.provider).create(
                    made.enrollment, half, claiming: claim, after: entry.past)
            }
        }.get()
        return .taken(account.enrollment)
    }

    /// Takes an enrollment that this device has: nothing changes if it is in use, and it is in use
    /// again if it was moved away.
    private func again(
        _ entry: ExportContent.Entry, in hand: DocumentInHand, by provider: any PushProvider
    ) async throws(PushError) -> ImportedEnrollment.Result {
        let new = try await sealed(entry, in: hand.document, by: provider)
        return try await hand.change(sealing: new) { (document) throws(PushError) in
            let made = try entry.credential(in: document, by: provider)
            guard document.head.departed != nil else { return .known }
            guard new != nil || document.guarded == nil else {
                throw PushError(.conflict, "Another process has guarded it meanwhile.")
            }
            document.head.departed = nil
            document.reenroll(made.enrollment, try provider.half(of: made), guarded: new)
            document.adopt(entry.past)
            return .taken(document.head.enrollment)
        }
    }

    /// What of an enrollment that comes back goes behind its guard again; `nil` if it had none.
    private func sealed(
        _ entry: ExportContent.Entry, in document: EnrollmentDocument,
        by provider: any PushProvider
    ) async throws(PushError) -> SealedPart? {
        let made = try entry.credential(in: document, by: provider)
        guard document.head.departed != nil,
            let policy = entry.enrollment.guardPolicy ?? document.guarded?.policy
        else { return nil }
        return try await core.documents.sealing.seal(
            try provider.half(of: made).guardable ?? [], under: policy)
    }
}

extension ExportContent.Entry {
    fileprivate func credential(
        in document: EnrollmentDocument, by provider: any PushProvider
    ) throws(PushError) -> Credential {
        try provider.exporter.credential(
            from: content, for: enrollment,
            known: Credential(document.head.enrollment, secret: document.credential))
    }
}

extension PushProvider {
    /// A half as a value, if a guard may seal a part of it.
    fileprivate func half(of made: Credential) throws(PushError) -> any ProviderCredential {
        try guarded?.credential?.init(reading: made.secret) ?? made.secret
    }
}
