import PushCore

struct PowerAuthResolver: Resolver {
    let provider: PowerAuth

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        switch try AnnouncedForm(announcement.context) {
        case .operation(let code):
            return Opened(try await opened(announcement, wasScanned: code != nil))
        case .offline(let text):
            return Opened(try await provider.offlineChallenge(text, for: announcement))
        }
    }

    private func opened(
        _ announcement: Announcement, wasScanned: Bool
    ) async throws(PushError) -> Challenge {
        let id = announcement.notice.id
        // Who scanned a code and opens what it is about wants it; to claim twice changes nothing.
        let operation = try await wasScanned ? provider.claim(id) : provider.operation(id)
        if let end = PowerAuthOperationEnd(operation) {
            throw end.error
        }
        try await provider.letServerFollow(id.enrollment)
        let hasBiometry = try await provider.hasBiometry(id.enrollment)
        return Challenge(
            for: announcement.notice, prompt: operation.prompt(hasBiometry: hasBiometry),
            content: Challenge.Content(fields: operation.fields, details: operation),
            verification: operation.allowedSignatureType
                .verification(hasBiometry: hasBiometry) ?? [],
            context: announcement.context)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        switch try AnnouncedForm(decision.announcement.context) {
        case .operation: return try await provider.answer(to: decision)
        case .offline(let text): return try await provider.offlineAnswer(text, to: decision)
        }
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        let id = announcement.notice.id
        switch try PreparedAnswer(reading: answer.bytes) {
        case .code(let code):
            return Reply(.code(code.withBytes { String(decoding: $0, as: UTF8.self) }))
        case .nothing:
            return Reply(.unknown("Nothing is sent for an offline operation, not even a no."))
        case .request(let request):
            let outcome = try await provider.send(request, for: id, again: again)
            // Whatever became of it, a code was used: the next yes needs the next one.
            return Reply(outcome, context: AnnouncedForm.operation(nil).context)
        }
    }

    /// The operation as the server has it. Whose answer it was, the server doesn't say.
    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard case .operation = try AnnouncedForm(announcement.context) else { return .unsaid }
        return try await provider.word(on: announcement.notice.id)
    }

    /// The operations that the server lists: all that wait for this activation's user.
    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        if let context = hint?.context, case .offline(let text)? = try? AnnouncedForm(context) {
            let announcement = try await provider.offlineAnnouncement(text, at: enrollment)
            return Pending([announcement], isComplete: false)
        }
        guard try await provider.isCommitted(enrollment) else {
            return Pending([], isComplete: false)
        }
        if let context = hint?.context, let code = ReceivedProximityCode(context) {
            let isOnly = hint?.enrollments.count == 1
            return Pending(
                try await provider.found(code, at: enrollment, claims: isOnly),
                isComplete: false)
        }
        if hint?.asksForActivation == true {
            try await provider.channel.requireActive(enrollment)
        }
        let list = try await provider.operations(of: enrollment)
        let waiting = list.operations.filter { $0.status == .pending }
            .map { provider.announcement(of: $0, at: enrollment) }
        return Pending(waiting, isComplete: list.isComplete)
    }
}
