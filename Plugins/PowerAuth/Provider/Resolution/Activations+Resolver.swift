import PushCore

extension Activations: Resolver {
    private var calls: OperationCalls { OperationCalls(channel: channel) }

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        switch try announcement.note {
        case .operation(let code):
            return try await opened(announcement, account, wasScanned: code != nil)
        case .offline(let text):
            return try offline.challenge(text, for: announcement, of: account)
        }
    }

    private func opened(
        _ announcement: Announcement, _ account: Account, wasScanned: Bool
    ) async throws(PushError) -> Challenge {
        let id = announcement.notice.id
        // Who scanned a code and opens what it is about wants it; to claim twice changes nothing.
        let operation =
            try await wasScanned ? calls.claim(id, account) : calls.operation(id, account)
        if let end = PowerAuthOperationEnd(operation) {
            throw end.error
        }
        try await resetLead(account)
        let hasBiometry = try account.record.hasBiometry
        return Challenge(
            for: announcement.notice, prompt: operation.prompt(hasBiometry: hasBiometry),
            content: Challenge.Content(fields: operation.fields, details: operation),
            verification: operation.allowedSignatureType
                .verification(hasBiometry: hasBiometry) ?? [],
            context: announcement.context)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        switch try decision.announcement.note {
        case .operation: return try await answer(to: decision, of: account)
        case .offline(let text): return try await offline.answer(text, to: decision, of: account)
        }
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        switch try PreparedAnswer(reading: answer.bytes) {
        case .code(let code):
            return .code(code.copiedText())
        case .nothing:
            return .unknown("Nothing is sent for an offline operation, not even a no.")
        case .request(let request):
            let outcome = try await AnswerDelivery(
                channel: channel, account: account, request: request, id: announcement.notice.id,
                again: again
            ).outcome()
            // Whatever became of it, a code was used: the next yes needs the next one.
            announcement.renew(AnnouncedForm.operation(nil).context)
            return outcome
        }
    }

    /// The operation as the server has it. Whose answer it was, the server doesn't say.
    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard case .operation = try announcement.note else { return .unknown }
        return try await calls.currentStatus(of: announcement.notice.id, account)
    }

    /// The operations that the server lists: all that wait for this activation's user.
    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        let form = hint?.context.flatMap { try? AnnouncedForm($0) }
        if case .offline(let text)? = form {
            let announcement = try offline.announcement(text, at: account)
            return Pending([announcement], isComplete: false)
        }
        guard try await isCommitted(account) else {
            return Pending([], isComplete: false)
        }
        if case .operation(let code?)? = form {
            let isOnly = hint?.enrollments.count == 1
            return Pending(
                try await found(code, at: account, claims: isOnly),
                isComplete: false)
        }
        if hint?.asksForActivation == true {
            try await channel.requireActive(account)
        }
        let list = try await calls.operations(of: account)
        let waiting = list.operations.filter { $0.status == .pending }
            .map { calls.announcement(of: $0, at: account.id) }
        return Pending(waiting, isComplete: list.isComplete)
    }

    /// Whether there can be operations: an activation that waits for its commit is asked about, as
    /// nobody tells this device of that.
    private func isCommitted(_ account: Account) async throws(PushError) -> Bool {
        guard case .pending = account.enrollment.state else { return true }
        if case .pending = try await channel.status(of: account).enrollment.state { return false }
        return true
    }

    /// Brings the counters together where they may have parted by much, as codes of offline
    /// operations do: a PIN that the server can't check any more would cost an attempt.
    private func resetLead(_ account: Account) async throws(PushError) {
        let record = try account.record
        guard record.ahead >= record.maximumLead else { return }
        try await channel.requireActive(account)
    }

    /// The operation that a proximity code came with, and the code for its approval.
    ///
    /// `claims` says whether the operation becomes this user's. Where there are several
    /// activations, a link doesn't say whose it is, so each only sees what it has already.
    private func found(
        _ code: ReceivedProximityCode, at account: Account, claims: Bool
    ) async throws(PushError) -> [Announcement] {
        let id = Challenge.ID(code.operation, of: account.id)
        let operation = try await claims ? calls.claim(id, account) : calls.operation(id, account)
        guard operation.status == .pending else { return [] }
        return [
            Announcement(
                calls.notice(of: operation, at: account.id),
                context: AnnouncedForm.operation(code).context, renewsContext: true)
        ]
    }
}

/// Operations that are over. The server wants two factors to tell them.
extension Activations: HistorySource {
    func verification(of account: Account) async throws(PushError) -> [[Factor]] {
        try account.record.twoFactors
    }

    func history(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> [Challenge] {
        let factors = try PowerAuthFactors(two: evidence)
        let reply = try await channel.signed(
            account, .history, body: JSON.object([:]).data, factors: factors)
        guard reply.isSuccess else {
            throw await channel.failure(reply, of: account, factors: factors)
        }
        return try calls.operations(in: reply.responseObject ?? .null, of: account.id)
            .operations.filter { $0.status != .pending }
            .sorted { $0.operationCreated > $1.operationCreated }
            .map { challenge($0, at: account.id) }
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
