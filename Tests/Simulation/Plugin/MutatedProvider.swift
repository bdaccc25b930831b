import PushCore

/// A plugin's provider of which the same is wrong as of ``Delta`` in a test of the checker.
struct MutatedProvider: PushProvider {
    let provider: any PushProvider
    let mutation: Mutation

    var id: ProviderID { provider.id }
    var capabilities: Capabilities { provider.capabilities }
    var pushServices: [PushService] { provider.pushServices }
    var enroller: any Enroller { provider.enroller }
    var resolver: any Resolver {
        MutatedResolver(resolver: provider.resolver, mutation: mutation)
    }

    func candidate(in message: PushMessage) -> PushCandidate? {
        provider.candidate(in: message)
    }

    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? { try provider.merged(known, other) }
}

private struct MutatedResolver: Resolver {
    let resolver: any Resolver
    let mutation: Mutation

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        try await resolver.challenge(for: announcement)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        try await resolver.prepare(decision)
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        let refusal = Outcome.notTaken(.init(.other, mayRetry: true))
        do throws(PushError) {
            let reply = try await resolver.send(answer, for: announcement, again: again)
            // What isn't provably the vendor's may be a stranger's.
            if mutation == .believesStrangers, case .unknown = reply.outcome {
                return Reply(refusal)
            }
            return reply
        } catch {
            guard mutation == .believesStrangers else { throw error }
            switch error.code {
            case .server(400..<500), .interrupted: return Reply(refusal)
            default: throw error
            }
        }
    }

    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard mutation != .saysNoEnd else { return .unknown }
        return try await resolver.status(of: announcement, kept: kept)
    }

    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        var pending = try await resolver.pending(for: enrollment, after: hint)
        if mutation == .listsIncompletely { pending.isComplete = false }
        return pending
    }
}
