import PushCore

extension XignIn {
    /// Fetches what a process is about, without claiming it.
    func initialization(
        of announcement: Announcement
    ) async throws(PushError) -> AuthenticationInitializationData {
        try await value(
            of: try await format.initialization(of: announcement.announced, using: access),
            about: announcement.notice.id)
    }

    /// Starts a process: it is this device's from now on.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it is about another service than the one
    ///   that was shown before.
    func start(
        _ data: AuthenticationInitializationData, of enrollment: Enrollment.ID
    ) async throws(PushError) -> AuthenticateRequest {
        let process = Challenge.ID(data.processId, of: enrollment)
        let request = try await value(
            of: try await format.start(data, of: enrollment, using: access), about: process)
        guard request.serviceInformation.id == data.serviceInformation.id else {
            throw PushError(
                .untrusted, "The process is about another service than before.")
        }
        try await note(nil, of: process)
        return request
    }

    /// What a manager did about a process, or its refusal as an error; a lockout is kept.
    private func value<Value>(
        of reply: XignInReply<Value>, about process: Challenge.ID
    ) async throws(PushError) -> Value {
        if case .refused(.locked(let lockout)) = reply {
            try await note(lockout, of: process)
        }
        return try await value(of: reply, at: process.enrollment)
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
