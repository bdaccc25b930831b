import PushCore

/// Operations that are over. The server wants two factors to tell them.
struct PowerAuthHistory: HistorySource {
    let provider: PowerAuth

    func verification(
        for enrollment: Enrollment.ID
    ) async throws(PushError) -> [[Factor]] {
        try await provider.hasBiometry(enrollment) ? [[.pin], [.biometry]] : [[.pin]]
    }

    func history(
        of enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> [Challenge] {
        let factors = try FactorKeys(two: evidence)
        let reply = try await provider.channel.signed(
            enrollment, .history, body: JSON.object([:]).data, factors: factors)
        guard reply.isSuccess else {
            throw await provider.channel.failure(reply, of: enrollment, factors: factors)
        }
        return try provider.operations(in: reply.responseObject ?? .null, of: enrollment)
            .operations.filter { $0.status != .pending }
            .sorted { $0.operationCreated > $1.operationCreated }
            .map { challenge($0, at: enrollment) }
    }

    private func challenge(
        _ operation: PowerAuthOperation, at enrollment: Enrollment.ID
    ) -> Challenge {
        Challenge(
            for: provider.notice(of: operation, at: enrollment),
            prompt: .denyOnly("It is over."),
            content: Challenge.Content(fields: operation.fields, details: operation),
            context: AnnouncedForm.operation(nil).context)
    }
}
