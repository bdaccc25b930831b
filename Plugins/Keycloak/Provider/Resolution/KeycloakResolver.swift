import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct KeycloakResolver: Resolver {
    let calls: DeviceCalls
    let lists: ChallengeLists

    /// Opens a challenge: neither a push nor a link says who logs in to what, so the list is asked.
    ///
    /// What it lacks can't be opened. That alone ends nothing, as a node of a cluster may leave out
    /// what waits on another.
    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let list = try await lists.list(of: account)
        guard let entry = list.entry(announcement.notice.id.name) else {
            guard list.isComplete else {
                throw PushError(.malformed, "The list has an entry that can't be read.")
            }
            throw PushError(.over, "The realm doesn't list it, and doesn't say why.")
        }
        let known = try announcement.note
        let context = try known.adding(entry.context)
        if known.question == nil { announcement.renew(context.sealed) }
        return Challenge(
            for: announcement.notice, prompt: context.prompt,
            content: Challenge.Content(
                fields: entry.username.map { [Challenge.Field("User", $0)] } ?? [],
                origin: Challenge.Origin(application: entry.application),
                details: KeycloakChallenge(entry)),
            context: context.sealed)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let announcement = decision.announcement
        let context = try announcement.note
        guard decision.resolution.isDenial || decision.challenge?.prompt == context.prompt else {
            throw PushError(.invalidResolution, "The user saw another prompt.")
        }
        let answer = try LoginAnswer(
            decision.resolution, to: announcement.notice, context.prompt,
            from: try account.credential(as: KeycloakCredential.self).deviceID)
        // Another process may have locked the account meanwhile: the write that decides finds out.
        return Signing { (_: inout KeycloakCredential, enrollment) throws(PushError) in
            try Self.requireOpen(enrollment, for: answer)
            return Answer(answer.sealed, kept: .whole)
        }
    }

    /// Who has pressed the panic button says yes to nothing, be it on record already.
    private static func requireOpen(
        _ enrollment: Enrollment, for answer: LoginAnswer
    ) throws(PushError) {
        guard answer.isDenial || !enrollment.state.isLockedOut else {
            throw PushError(
                .blocked,
                "The user locked the account here. Refresh the enrollment once it is open.")
        }
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let login = try LoginAnswer(answer)
        try Self.requireOpen(account.enrollment, for: login)
        let verdict = AnswerVerdict(
            word: login.word, again: again, context: try announcement.note)
        let call = DeviceCall(
            .post, "/login/challenges/\(announcement.notice.id.name)/respond",
            .token(login.claims), saying: login.word)
        let reply: ServerReply
        do throws(PushError) {
            reply = try await calls.reply(to: call, of: account)
        } catch
            where error.code == .unknownEnrollment && account.enrollment.state == .needsReenrollment
        {
            return again
                ? .unknown("The device is gone; an earlier copy may have been taken.")
                : .notTaken(.init(.stateChanged, mayRetry: false))
        }
        return try verdict.judge(reply, &announcement)
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        let list = try await lists.list(of: account)
        guard list.entry(announcement.notice.id.name) == nil else { return .open }
        return list.isComplete ? .unlisted : .unknown
    }

    /// The documentation calls the list whole. Whatever it lacks is asked for once more, as a node
    /// of a cluster may leave out what waits on another.
    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        let list = try await lists.list(of: account)
        return Pending(
            list.entries.map { $0.announcement(of: account.id) }, isComplete: list.isComplete)
    }
}

/// What a reply to an answer means.
struct AnswerVerdict {
    /// The word of a success, `approved` or `denied`.
    let word: String

    /// Whether an earlier copy may have been taken.
    let again: Bool
    let context: ChallengeContext

    /// What the caller hears of it. After a wrong choice the announcement counts that.
    ///
    /// - Throws: `PushError`: `unreachable` if the realm is busy, `interrupted` or `server` for a
    ///   reply that says nothing of the answer.
    func judge(
        _ reply: ServerReply, _ announcement: inout Announcement
    ) throws(PushError) -> Outcome {
        if reply.hasStatus(word) { return .delivered }
        // By whom, nobody says: perhaps by an earlier copy.
        if reply.says(.resolvedOrExpired, .noChallenge) { return .ended }
        if reply.says(.answerExpired) { return again ? .ended : .expired }
        if reply.says(.isBeingResolved) {
            throw PushError(.unreachable, "The realm is busy with another answer.")
        }
        if let state = reply.resolvedState { return outcome(ofState: state) }
        if reply.says(.wrongVerification) {
            // No copy of it was right, and it waits on.
            let next = context.afterWrongChoice
            announcement.renew(next.sealed)
            return .notTaken(
                .init(
                    .wrongChoice, mayRetry: true, appliesToAllCopies: true,
                    attemptsLeft: next.choicesLeft, status: reply.status))
        }
        if reply.says(.noVerification, .invalidVerification) {
            return .notTaken(.init(.other, mayRetry: true, status: reply.status))
        }
        if reply.says(
            .wrongAnswerSignature, .wrongSubject, .wrongDevice, .wrongCredential, .wrongChallenge,
            .unreadableChallenge)
        {
            return .notTaken(.init(.other, mayRetry: false, status: reply.status))
        }
        throw reply.unexpected("an answer's")
    }

    /// Another answer than this device's has come first, or the challenge ended another way.
    private func outcome(ofState state: String) -> Outcome {
        let answers = ["approved", "denied"]
        let taken = answers.first { $0.uppercased().hasSameBytes(as: state) }
        return taken == nil || taken == word ? .ended : .answeredElsewhere
    }
}
