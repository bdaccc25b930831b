extension PushAuthenticator {
    /// Makes the one-time code that is valid now, after verifying the user where the vendor asks
    /// for it. Nothing is sent.
    ///
    /// - Throws: ``PushError`` with the code `unsupported` if the vendor has no codes, `blocked` if
    ///   the enrollment may make none now.
    public func code(for id: Enrollment.ID) async throws(PushError) -> OneTimeCode {
        guard let codes = try provider(id.provider).codes else {
            throw PushError(
                .unsupported, "The vendor has no one-time codes.", provider: id.provider)
        }
        let asked: [[Factor]]
        do throws(PushError) {
            asked = try await codes.verification(for: id)
        } catch {
            throw error.of(id.provider)
        }
        // Outside the turn: a user who takes their time mustn't keep an answer waiting.
        let evidence = try await verify(
            .manage(id, "one-time code"), asked, VerificationStyle())
        return try await turn(of: id) { () async throws(PushError) -> OneTimeCode in
            try await codes.code(for: id, evidence: evidence)
        }
    }
}
