import PushCore

struct XignInResolver: Resolver {
    let provider: XignIn

    /// Fetches, then starts: from now on the process is this device's. Only a user who opens it may
    /// cause that.
    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        let data = try await provider.initialization(of: announcement)
        let request = try await provider.start(
            data, of: announcement.notice.id.enrollment)
        return Opened(provider.challenge(announcement.notice, request))
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        let announcement = decision.announcement
        let request = decision.challenge?.details(as: AuthenticateRequest.self)
        let answer = try await provider.format.answer(
            try checked(decision, request), to: try announcement.announced,
            using: provider.access)
        func prepared(_ bytes: Secret) -> Secret {
            PreparedAnswer(
                bytes, seen: request?.context ?? Secret([]), isMadeAgain: decision.isMadeAgain
            ).sealed
        }
        return Answer(
            prepared(answer.whole),
            kept: answer.isKeptWhole ? .whole : .part(prepared(answer.kept)))
    }

    private func checked(
        _ decision: Decision, _ request: AuthenticateRequest?
    ) throws(PushError) -> XignInDecision {
        switch decision.resolution {
        case .deny(let reason): return .reject(reason == .fraud ? .notMe : .userDeclined)
        case .approve: break
        default:
            throw PushError(.invalidResolution, "The process asks for another kind of answer.")
        }
        guard var request else {
            throw PushError(.invalidResolution, "The process must be opened first.")
        }
        guard case .approve = request.prompt else {
            throw PushError(.unsupported, "The process can only be rejected.")
        }
        // After a wrong try another challenge counts, in the same process.
        request.context = try decision.announcement.note.context(for: request)
        let consent = decision.extras(as: XignInConsent.self)
        return .approve(try request.approval(consent, decision.evidence))
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        try await send(PreparedAnswer(reading: answer.bytes), for: announcement).word
    }

    /// Asks for the verdict on an answer whose reply was lost, by sending again what was kept of it.
    ///
    /// What was judged brings its verdict. What wasn't lacks the proof of the PIN, which counts as no
    /// try, and the user makes the answer again.
    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard let kept else { return .unsaid }
        let prepared = try PreparedAnswer(reading: kept)
        let sent = try await send(prepared, for: announcement)
        guard !sent.isIncomplete else { return .open }
        return .over(sent.word.outcome, context: sent.word.context)
    }

    private func send(
        _ prepared: PreparedAnswer, for announcement: Announcement
    ) async throws(PushError) -> (word: Reply, isIncomplete: Bool) {
        let reply = try await provider.format.send(
            prepared.answer, to: try announcement.announced, using: provider.access)
        let isIncomplete = if case .refused(.factorsMissing) = reply { true } else { false }
        return (try await provider.word(reply, on: announcement, prepared), isIncomplete)
    }
}
