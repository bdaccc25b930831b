import PushCore

struct XignInResolver: Resolver {
    let access: XignInAccess

    private var format: any XignInWireFormat { access.format }

    /// Fetches, then starts: from now on the process is this device's. Only a user who opens it may
    /// cause that.
    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let data = try await initialization(for: announcement, of: account)
        let request = try await start(data, of: account)
        return challenge(announcement.notice, request)
    }

    /// Fetches what a process is about, without claiming it.
    func initialization(
        for announcement: Announcement, of account: Account
    ) async throws(PushError) -> AuthenticationInitializationData {
        try await ManagerReplies(account: account).value(
            of: try await format.initialization(
                for: announcement.announced, of: account, using: access),
            about: announcement.notice.id.name)
    }

    /// Starts a process: it is this device's from now on.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it is about another service than the one
    ///   that was shown before.
    func start(
        _ data: AuthenticationInitializationData, of account: Account
    ) async throws(PushError) -> AuthenticateRequest {
        let replies = ManagerReplies(account: account)
        let request = try await replies.value(
            of: try await format.start(data, of: account, using: access), about: data.processId)
        guard request.serviceInformation.id == data.serviceInformation.id else {
            throw PushError(
                .untrusted, "The process is about another service than before.")
        }
        try await replies.note(nil, of: data.processId)
        return request
    }

    /// What the user is asked.
    func challenge(_ notice: Notice, _ request: AuthenticateRequest) -> Challenge {
        let displayed = DisplayedRequest(request: request)
        return Challenge(
            for: notice, prompt: displayed.prompt,
            content: Challenge.Content(
                fields: displayed.fields,
                origin: Challenge.Origin(application: request.serviceInformation.name),
                details: request),
            verification: request.verification, context: request.context)
    }

    // MARK: Answers

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let announcement = decision.announcement
        let request = decision.challenge?.details(as: AuthenticateRequest.self)
        let answer = try await format.answer(
            try checked(decision, request), to: try announcement.announced, of: account,
            using: access)
        let whole = PreparedAnswer(
            answer.whole, seen: request?.context ?? Secret([]), isMadeAgain: decision.isMadeAgain)
        return Signing(
            Answer(
                whole.sealed,
                kept: answer.isKeptWhole ? .whole : .part(whole.part(answer.kept).sealed)))
    }

    private func checked(
        _ decision: Decision, _ request: AuthenticateRequest?
    ) throws(PushError) -> XignInDecision {
        switch decision.resolution {
        case .deny(let reason): return .reject(reason)
        case .approve: break
        case .choose, .enter:
            throw PushError(.invalidResolution, "The process asks for another kind of answer.")
        }
        guard var request else {
            throw PushError(.invalidResolution, "The process must be opened first.")
        }
        guard case .approve = DisplayedRequest(request: request).prompt else {
            throw PushError(.unsupported, "The process can only be rejected.")
        }
        // After a wrong try another challenge counts, in the same process.
        request.context = try decision.announcement.note.context(for: request)
        let consent = decision.extras(as: AuthenticationUserInformation.self)
        return .approve(try request.approval(consent, decision.evidence))
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let prepared = try PreparedAnswer(reading: answer.bytes)
        return try await ManagerReplies(account: account).outcome(
            of: try await reply(to: prepared, for: announcement, of: account), to: prepared,
            for: &announcement)
    }

    /// Asks for the verdict on an answer whose reply was lost, by sending again what was kept of it.
    ///
    /// An answer that the manager has judged brings its verdict. Any other either lacks the proof of
    /// the PIN, which counts as no try, or was signed for a challenge that no longer counts. Then the
    /// user makes the answer again.
    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard let kept else { return .unknown }
        let prepared = try PreparedAnswer(reading: kept)
        let reply = try await reply(to: prepared, for: announcement, of: account)
        switch reply {
        case .failure(.factorsMissing): return .open
        // It fitted its challenge, so the process has another one now. A verdict would have come
        // first, and no copy of the answer can bring one any more.
        case .failure(.malformed) where prepared.isPart: return .open
        default: break
        }
        return .over(
            try await ManagerReplies(account: account).outcome(
                of: reply, to: prepared, for: &announcement))
    }

    private func reply(
        to prepared: PreparedAnswer, for announcement: Announcement, of account: Account
    ) async throws(PushError) -> XignInReply<XignInVerdict> {
        try await format.send(
            prepared.answer, to: try announcement.announced, of: account, using: access)
    }
}
