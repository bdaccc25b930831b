import PushCore

extension Activations: Resolver {
    private var calls: OperationCalls { OperationCalls(channel: channel) }

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        switch try AnnouncedForm(announcement.context) {
        case .operation(let code):
            return Opened(try await opened(announcement, wasScanned: code != nil))
        case .offline(let text):
            return Opened(try await offline.challenge(text, for: announcement))
        }
    }

    private func opened(
        _ announcement: Announcement, wasScanned: Bool
    ) async throws(PushError) -> Challenge {
        let id = announcement.notice.id
        // Who scanned a code and opens what it is about wants it; to claim twice changes nothing.
        let operation = try await wasScanned ? calls.claim(id) : calls.operation(id)
        if let end = PowerAuthOperationEnd(operation) {
            throw end.error
        }
        try await resetLead(id.enrollment)
        let hasBiometry = try await channel.hasBiometry(id.enrollment)
        return Challenge(
            for: announcement.notice, prompt: operation.prompt(hasBiometry: hasBiometry),
            content: Challenge.Content(fields: operation.fields, details: operation),
            verification: operation.allowedSignatureType
                .verification(hasBiometry: hasBiometry) ?? [],
            context: announcement.context)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        switch try AnnouncedForm(decision.announcement.context) {
        case .operation: return try await answer(to: decision)
        case .offline(let text): return try await offline.answer(text, to: decision)
        }
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        let id = announcement.notice.id
        switch try PreparedAnswer(reading: answer.bytes) {
        case .code(let code):
            return Reply(.code(code.copiedText()))
        case .nothing:
            return Reply(.unknown("Nothing is sent for an offline operation, not even a no."))
        case .request(let request):
            let outcome = try await AnswerDelivery(
                channel: channel, request: request, id: id, again: again
            ).outcome()
            // Whatever became of it, a code was used: the next yes needs the next one.
            return Reply(outcome, context: AnnouncedForm.operation(nil).context)
        }
    }

    /// The operation as the server has it. Whose answer it was, the server doesn't say.
    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard case .operation = try AnnouncedForm(announcement.context) else { return .unknown }
        return try await calls.currentStatus(of: announcement.notice.id)
    }

    /// The operations that the server lists: all that wait for this activation's user.
    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        if let context = hint?.context, case .offline(let text)? = try? AnnouncedForm(context) {
            let announcement = try await offline.announcement(text, at: enrollment)
            return Pending([announcement], isComplete: false)
        }
        guard try await isCommitted(enrollment) else {
            return Pending([], isComplete: false)
        }
        if let context = hint?.context, let code = ReceivedProximityCode(context) {
            let isOnly = hint?.enrollments.count == 1
            return Pending(
                try await found(code, at: enrollment, claims: isOnly),
                isComplete: false)
        }
        if hint?.asksForActivation == true {
            try await channel.requireActive(enrollment)
        }
        let list = try await calls.operations(of: enrollment)
        let waiting = list.operations.filter { $0.status == .pending }
            .map { calls.announcement(of: $0, at: enrollment) }
        return Pending(waiting, isComplete: list.isComplete)
    }

    /// Whether there can be operations: an activation that waits for its commit is asked about, as
    /// nobody tells this device of that.
    private func isCommitted(_ enrollment: Enrollment.ID) async throws(PushError) -> Bool {
        guard case .pending = try await vault.existing(enrollment).enrollment.state else {
            return true
        }
        if case .pending = try await channel.status(of: enrollment).enrollment.state {
            return false
        }
        return true
    }

    /// Brings the counters together where they may have parted by much, as codes of offline
    /// operations do: a PIN that the server can't check any more would cost an attempt.
    private func resetLead(_ enrollment: Enrollment.ID) async throws(PushError) {
        let record = try PowerAuthRecord(try await vault.existing(enrollment))
        guard record.ahead >= record.maximumLead else { return }
        try await channel.requireActive(enrollment)
    }

    /// The operation that a proximity code came with, and the code for its approval.
    ///
    /// `claims` says whether the operation becomes this user's. Where there are several
    /// activations, a link doesn't say whose it is, so each only sees what it has already.
    private func found(
        _ code: ReceivedProximityCode, at enrollment: Enrollment.ID, claims: Bool
    ) async throws(PushError) -> [Announcement] {
        let id = Challenge.ID(code.operation, of: enrollment)
        let operation = try await claims ? calls.claim(id) : calls.operation(id)
        guard operation.status == .pending else { return [] }
        return [
            Announcement(
                calls.notice(of: operation, at: enrollment),
                context: AnnouncedForm.operation(code).context, renewsContext: true)
        ]
    }
}

/// Operations that are over. The server wants two factors to tell them.
extension Activations: HistorySource {
    func verification(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> [[Factor]] {
        try await channel.hasBiometry(enrollment) ? [[.pin], [.biometry]] : [[.pin]]
    }

    func history(
        of enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> [Challenge] {
        let factors = try PowerAuthFactors(two: evidence)
        let reply = try await channel.signed(
            enrollment, .history, body: JSON.object([:]).data, factors: factors)
        guard reply.isSuccess else {
            throw await channel.failure(reply, of: enrollment, factors: factors)
        }
        return try calls.operations(in: reply.responseObject ?? .null, of: enrollment)
            .operations.filter { $0.status != .pending }
            .sorted { $0.operationCreated > $1.operationCreated }
            .map { challenge($0, at: enrollment) }
    }

    private func challenge(
        _ operation: PowerAuthOperation, at enrollment: Enrollment.ID
    ) -> Challenge {
        Challenge(
            for: calls.notice(of: operation, at: enrollment),
            prompt: .denyOnly("It is over."),
            content: Challenge.Content(fields: operation.fields, details: operation),
            context: AnnouncedForm.operation(nil).context)
    }
}
