import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PlusAuthResolver: Resolver {
    let channel: PlusAuthChannel
    let sim: SIMEnforcement

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let claims = try announcement.note
        try await sim.enforce(on: account)
        let context = try PushContext(claims)
        var prompt: Challenge.Prompt =
            switch context.type {
            case .code(let values): .choose(values)
            case .prompt: .approve
            // Such a push is announced as incompatible, so there is nothing to open.
            case .other: throw PushError(.unsupported, "Its type is unknown.")
            }
        let rest = UndocumentedInfo(in: claims)
        if let defect = rest.defect { prompt = .denyOnly(defect) }
        return Challenge(
            for: announcement.notice, prompt: prompt,
            content: Challenge.Content(
                fields: context.fields + rest.fields, origin: context.origin,
                details: context),
            verification: channel.configuration.requiresUserVerification
                ? [[.presence]] : [],
            context: announcement.context)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let claims = try decision.announcement.note
        try await sim.enforce(on: account)
        let credential: PlusAuthCredential = try account.credential()
        if !decision.resolution.isDenial, let defect = UndocumentedInfo(in: claims).defect {
            throw PushError(.unsupported, "It can only be denied: \(defect)")
        }
        var answer = try AnswerClaims.documented(decision.resolution, for: try claims.kind)
        if !channel.configuration.documentedClaimsOnly {
            let added = AnswerClaims.binding(
                until: claims.expiry,
                now: await now(account.id, at: credential.origin),
                from: channel.environment.random)
            answer = JSON.Object(answer.members + added.members)
        }
        let body: JSON = [
            "context": .string(try credential.signingKey.signed(answer)),
            "device_identifier": .string(credential.deviceIdentifier),
        ]
        // The same answer on every try, so that a copy that arrived can be told from another.
        return Signing(Answer(Secret(body.utf8), kept: .whole))
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let claims = try announcement.note
        // Checked again where it is used: the app may have changed its list meanwhile.
        let credential: PlusAuthCredential = try account.credential()
        let url = try ResolveURL(claims, credential, channel.configuration)
        let (reply, hasAnother) = try await reply(to: answer, at: url, claims)
        let verdict = AnswerVerdict(
            again: again || hasAnother,
            isExpired: await hasPassed(claims.expiry, account.id, at: credential.origin),
            isStale: await isStale(answer, account.id, at: credential.origin))
        return try verdict.outcome(of: reply)
    }
}

extension PlusAuthResolver {
    /// Sends an answer to the one path, and to the other if the server doesn't have the first.
    ///
    /// - Returns: The last reply that is PlusAuth's, else the last, and whether PlusAuth may have taken
    ///   the copy before: that there is no such path may be a stranger's word.
    private func reply(
        to answer: Answer, at url: ResolveURL, _ claims: ContextClaims
    ) async throws(PushError) -> (reply: PlusAuthRequest.ServerReply, hasAnother: Bool) {
        let first = try await reply(to: answer, at: url.endpoint, claims)
        guard let alternative = url.alternative, first.isNoPath else { return (first, false) }
        do throws(PushError) {
            let second = try await reply(to: answer, at: alternative, claims)
            // What PlusAuth said of the first isn't undone by a stranger that has no second path.
            if !first.isStrangers, second.isStrangers, second.isNoPath { return (first, false) }
            return (second, first.isStrangers)
        } catch  where first.isStrangers {
            throw PushError(
                .interrupted, "The first path's reply isn't PlusAuth's, and the second gave none.",
                underlying: error)
        }
    }

    private func reply(
        to answer: Answer, at endpoint: Endpoint, _ claims: ContextClaims
    ) async throws(PushError) -> PlusAuthRequest.ServerReply {
        try await PlusAuthRequest(
            endpoint, bearer: Secret(claims.token.utf8),
            body: answer.bytes.withBytes { Data($0) }, from: channel
        ).reply(over: channel.environment.transport)
    }

    /// Whether an answer's own `exp` has passed, by the time that it was signed by.
    private func isStale(
        _ answer: Answer, _ id: Enrollment.ID, at origin: String
    ) async -> Bool {
        guard let end = AnswerClaims.expiry(of: answer) else { return false }
        return await now(id, at: origin) >= end
    }

    /// Whether a moment has passed at the server; this device's clock counts only where nobody else
    /// can tell.
    private func hasPassed(
        _ moment: Date, _ id: Enrollment.ID, at origin: String
    ) async -> Bool {
        switch await channel.validity(until: moment, of: id, at: origin) {
        case .valid: false
        case .expired: true
        case .uncertain: channel.environment.clock.now >= moment
        }
    }

    /// Now, by the server's clock where it is known: a device whose own is wrong mustn't sign times
    /// that the server refuses.
    private func now(_ id: Enrollment.ID, at origin: String) async -> Date {
        await channel.serverTime(of: id, at: origin)?.lowerBound
            ?? channel.environment.clock.now
    }
}
