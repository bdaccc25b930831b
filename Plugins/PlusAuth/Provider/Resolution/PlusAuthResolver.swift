import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PlusAuthResolver: Resolver {
    let provider: PlusAuth

    func challenge(for announcement: Announcement) async throws(PushError) -> Challenge {
        do throws(PushError) {
            let claims = try ContextClaims(announcement)
            try await provider.enforceSIM(
                on: announcement.notice.id.enrollment, try await credential(of: announcement))
            let context = try PushContext(claims)
            let prompt: Challenge.Prompt =
                switch context.type {
                case .code(let values): .choose(values)
                case .prompt: .approve
                // Such a push is announced as incompatible, so there is nothing to open.
                case .other: throw PushError(.unsupported, "Its type is unknown.")
                }
            return Challenge(
                for: announcement.notice, prompt: prompt,
                content: Challenge.Content(
                    fields: context.fields, origin: context.origin, details: context),
                verification: provider.configuration.requiresUserVerification ? [[.presence]] : [],
                context: announcement.context)
        } catch {
            throw error.of(provider.id)
        }
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        do throws(PushError) {
            let claims = try ContextClaims(decision.announcement)
            let credential = try await credential(of: decision.announcement)
            try await provider.enforceSIM(
                on: decision.announcement.notice.id.enrollment, credential)
            var answer = try AnswerClaims.documented(decision.resolution, for: try claims.kind)
            if !provider.configuration.documentedClaimsOnly {
                let added = AnswerClaims.binding(
                    until: claims.expiry, now: await now(at: credential.origin),
                    from: provider.environment.random)
                answer = JSON.Object(answer.members + added.members)
            }
            let body: JSON = [
                "context": .string(try credential.signingKey.signed(answer)),
                "device_identifier": .string(credential.deviceIdentifier),
            ]
            // The same answer on every try, so that a copy that arrived can be told from another.
            return Answer(Secret(body.utf8), kept: .bytes)
        } catch {
            throw error.of(provider.id)
        }
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome {
        do throws(PushError) {
            let claims = try ContextClaims(announcement)
            // Checked again where it is used: the app may have changed its list meanwhile.
            let credential = try await credential(of: announcement)
            let url = try ResolveURL(claims, credential, provider.configuration)
            var status = try await status(of: answer, to: url.endpoint, claims)
            if let alternative = url.alternative, status == 404 || status == 405 {
                status = try await self.status(of: answer, to: alternative, claims)
            }
            let now = await now(at: credential.origin)
            return try outcome(
                of: status, again: again, isExpired: now >= claims.expiry,
                isAnswerStale: AnswerClaims.expiry(of: answer, credential).map { now >= $0 }
                    ?? false)
        } catch {
            throw error.of(provider.id)
        }
    }
}

extension PlusAuthResolver {
    private func credential(
        of announcement: Announcement
    ) async throws(PushError) -> PlusAuthCredential {
        let id = announcement.notice.id.enrollment
        return try PlusAuthCredential(try await provider.vault.existing(id).secret)
    }

    private func status(
        of answer: Answer, to endpoint: Endpoint, _ claims: ContextClaims
    ) async throws(PushError) -> Int {
        try await PlusAuthRequest(
            endpoint, bearer: Secret(claims.token.utf8),
            body: answer.bytes.withBytes { Data($0) }, from: provider
        ).reply(over: provider.environment.transport).status
    }

    /// A repeat that isn't taken says nothing of the first copy, which PlusAuth may have.
    ///
    /// UNCONFIRMED: which of its documented errors PlusAuth sends here; the table is its REST API's.
    private func outcome(
        of status: Int, again: Bool, isExpired: Bool, isAnswerStale: Bool
    ) throws(PushError) -> Outcome {
        switch status {
        case 200..<300:
            return .delivered
        case 401 where again, 404 where again, 405 where again, 409 where again:
            return .unknown("PlusAuth took an earlier copy, or the challenge was over (\(status)).")
        // A late repeat is refused for its own `exp`, which says nothing of the copy before it.
        case 400 where again, 422 where again:
            return .unknown("PlusAuth took an earlier copy, or never took any (\(status)).")
        case 401:
            return isExpired ? .expired : .answeredElsewhere
        case 404:
            return .expired
        case 409:
            return .answeredElsewhere
        case 400, 422:
            // One that could be sent only after its own `exp` never had a chance: the user may give it
            // anew.
            let mayRetry = isAnswerStale && !isExpired
            return .notTaken(.init(.other, mayRetry: mayRetry, status: status))
        case 405:
            return .notTaken(.init(.unavailable, mayRetry: false, status: status))
        default:
            throw PushError(
                .server(status: status), "The reply \(status) doesn't say what PlusAuth did.")
        }
    }

    /// Now, by the server's clock where it is known: a device whose own is wrong mustn't sign times
    /// that the server refuses.
    private func now(at origin: String) async -> Date {
        await provider.serverTime(at: origin)?.lowerBound ?? provider.environment.clock.now
    }
}
