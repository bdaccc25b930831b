import PushCore

extension XignIn {
    /// Fetches what a process is about, without claiming it.
    func initialization(
        of announcement: Announcement
    ) async throws(PushError) -> AuthenticationInitializationData {
        try await value(
            of: try await format.initialization(of: announcement, using: access),
            at: announcement.notice.id.enrollment)
    }

    /// Starts a process: it is this device's from now on.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it is about another service than the one
    ///   that was shown before.
    func start(
        _ data: AuthenticationInitializationData, of enrollment: Enrollment.ID
    ) async throws(PushError) -> AuthenticateRequest {
        let request = try await value(
            of: try await format.start(data, of: enrollment, using: access), at: enrollment)
        guard request.serviceInformation.id == data.serviceInformation.id else {
            throw PushError(
                .untrusted, "The process is about another service than before.", provider: id)
        }
        await tries.forget(Challenge.ID(data.processId, of: enrollment))
        return request
    }

    /// What the user is asked.
    func challenge(_ notice: Notice, _ request: AuthenticateRequest) -> Challenge {
        Challenge(
            for: notice, prompt: request.prompt,
            content: Challenge.Content(
                fields: request.fields,
                origin: Challenge.Origin(application: request.serviceInformation.name),
                details: request),
            verification: request.verification, context: request.context)
    }
}
