import PushCore

struct XignInResolver: Resolver {
    let provider: XignIn

    /// Fetches, then starts: from now on the process is this device's. Only a user who opens it may
    /// cause that.
    func challenge(for announcement: Announcement) async throws(PushError) -> Challenge {
        let data = try await provider.initialization(of: announcement)
        let request = try await provider.start(
            data, of: announcement.notice.id.enrollment)
        return provider.challenge(announcement.notice, request)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        do throws(PushError) {
            let answer = try await provider.format.answer(
                try await checked(decision), to: decision.announcement, using: provider.access)
            return Answer(answer.sealed, kept: answer.isKeptWhole ? .bytes : .decision)
        } catch {
            throw error.of(provider.id)
        }
    }

    private func checked(_ decision: Decision) async throws(PushError) -> XignInDecision {
        switch decision.resolution {
        case .deny(let reason): return .reject(reason == .fraud ? .notMe : .userDeclined)
        case .approve: break
        default:
            throw PushError(.invalidResolution, "The process asks for another kind of answer.")
        }
        guard let challenge = decision.challenge,
            var request = challenge.details(as: AuthenticateRequest.self)
        else { throw PushError(.invalidResolution, "The process must be opened first.") }
        guard case .approve = request.prompt else {
            throw PushError(.unsupported, "The process can only be rejected.")
        }
        // After a wrong try another challenge counts, in the same process.
        if let newest = await provider.tries.context(of: challenge.id) { request.context = newest }
        let consent = decision.extras(as: XignInConsent.self)
        return .approve(try request.approval(consent, decision.evidence))
    }

    /// Sends an answer. As much of it as may be kept is on record before the first byte leaves, so
    /// that after a lost reply ``status(of:)`` can ask for the verdict.
    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome {
        let packed = try XignInAnswer(reading: answer.bytes)
        // The same bytes get the verdict on record. Others are an answer that the user made again.
        let isRemade = again && !packed.isKeptWhole
        try await provider.keep(packed.kept, to: announcement.notice, isRemade: isRemade)
        let reply = try await provider.format.send(
            packed.whole, to: announcement, using: provider.access)
        return try await provider.outcome(
            of: reply, announcement.notice.id, isRemade: isRemade)
    }

    /// Asks for the verdict on an answer whose reply was lost, by sending again what was kept of it.
    ///
    /// What was judged brings its verdict. What wasn't lacks the proof of the PIN, which counts as no
    /// try, and the user makes the answer again.
    func status(of announcement: Announcement) async throws(PushError) -> Challenge.Status {
        let id = announcement.notice.id
        guard let kept = try await provider.keptAnswer(to: id) else { return .unsaid }
        let reply = try await provider.format.send(
            kept.answer, to: announcement, using: provider.access)
        if case .refused(.factorsMissing) = reply {
            try await provider.forgetAnswer(to: id)
            return .open
        }
        return .over(try await provider.outcome(of: reply, id, isRemade: kept.isRemade))
    }
}
