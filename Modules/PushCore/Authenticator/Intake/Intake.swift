/// Takes messages: finds each one's provider, verifies it, and remembers what it announces.
struct Intake: Sendable {
    let core: AuthenticatorCore
    let remembering: Remembering
    let questions: HintQuestions

    func receive(_ message: PushMessage) async throws(PushError) -> [Reception] {
        do throws(PushError) {
            var hints: [Hint] = []
            var results: [Result<[Reception], PushError>] = []
            try await core.environment.remembering { () async throws(PushError) in
                for event in try await core.registry.events(from: message) {
                    if case .hint(let hint) = event { hints.append(hint) }
                    if let reception = try await take(event) {
                        results.append(.success([reception]))
                    }
                }
            }
            for hint in hints { results += await questions.follow(hint, from: message.channel) }
            return try await core.merged(results)
        } catch {
            await core.report(error, "A message was refused.")
            throw error
        }
    }

    /// Takes what was verified; hints prove nothing.
    private func take(_ event: PushEvent) async throws(PushError) -> Reception? {
        switch event {
        case .notice(let announcement):
            let reception = try await remembering.remember(announcement)
            await questions.askAround(announcement.notice.id.enrollment)
            return reception
        case .withdrawal(let withdrawal):
            let reception = try await remembering.remember(withdrawal)
            await questions.askAround(withdrawal.id.enrollment)
            return reception
        case .incompatible(let incompatible):
            return try await remembering.remember(incompatible)
        case .hint:
            return nil
        }
    }
}
