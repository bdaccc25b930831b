import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PrivacyIDEAResolver: Resolver {
    let calls: ServerCalls
    let lists: ServerLists

    /// Opens a challenge. No challenge says when it ends, so the server is asked whether it still
    /// waits; if that can't be told, it opens all the same.
    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        var context = try announcement.note
        switch try await say(of: announcement.notice.id, in: account) {
        // It may have been pushed, and not recorded yet.
        case .unlisted where context.mayBeUnlisted(at: calls.environment.clock.now): break
        case .unlisted:
            throw PushError(
                .over, "The server no longer lists it, and doesn't say why.", ends: .unknown)
        case .listed(let newest):
            let known = context
            context = try known.renewed(by: newest.note)
            if context.url != known.url || context.reasons != known.reasons {
                announcement.renew(context.sealed)
            }
        case .unknown: break
        }
        let details = PrivacyIDEAChallenge(announcement.notice, context)
        return Challenge(
            for: announcement.notice, prompt: context.prompt,
            content: Challenge.Content(details: details),
            verification: context.unlock?.factors ?? [], context: context.sealed)
    }

    /// What the server says of a challenge that is about to be shown; a server that can't be asked
    /// doesn't keep it from that.
    private func say(
        of id: Challenge.ID, in account: Account
    ) async throws(PushError) -> ServerList.Say {
        do throws(PushError) {
            return try await lists.list(of: account).say(of: id)
        } catch {
            switch error.code {
            case .unknownEnrollment, .malformed, .storage, .storageUnknown, .cancelled,
                .untrustedServer, .pinMismatch:
                throw error
            default: return .unknown
            }
        }
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let announcement = decision.announcement
        let context = try announcement.note
        guard decision.resolution.isDenial || decision.challenge?.prompt == context.prompt else {
            throw PushError(.invalidResolution, "The user saw another prompt.")
        }
        let form = try await AnswerForm(
            decision.resolution, to: announcement.notice.id.name, context,
            by: try account.credential(), calls.deviceKeys)
        // A copy may count as another answer, and overturn the first.
        return Signing(Answer(form.sealed, kept: .wholeOnceOpen))
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let form = try AnswerForm(answer)
        let url = try announcement.note.url
        let reply = try await calls.post(answer.bytes.withBytes { Data($0) }, to: url)
        switch reply.word {
        case .value(.bool(true), let detail):
            // Recorded; whether anybody logs in the relying party's last call finds out.
            guard let code = detail?["display_code"]?.string, !code.isEmpty else {
                return .delivered
            }
            let message = detail?["message"]?.string.map { DisplayText.sanitized($0, .body) }
            return .code(code, message: message)
        case .value(.bool(false), _):
            return try await refused(form, &announcement, account, again: again)
        case .error where reply.refusal?.isOfToken == true:
            try await account.changeEnrollment { $0.state = .needsReenrollment }
            return again
                ? .unknown("The token is gone; an earlier copy may have been taken.")
                : .notTaken(.init(.stateChanged, mayRetry: false, status: reply.status))
        default:
            throw reply.unexpected("an answer's")
        }
    }

    /// How far apart two lists are that lack what was decided.
    static let lagTime = Duration.seconds(5)

    private static let notListed = PushError(
        .interrupted, "The server took no answer, and its lists don't tell why yet.")

    /// Whether the server's list has it now; `nil` if the server itself refuses the list, to all or
    /// to this device's key.
    private func isListed(
        _ id: Challenge.ID, _ account: Account
    ) async throws(PushError) -> Bool? {
        let say: ServerList.Say
        do throws(PushError) {
            say = try await lists.list(of: account).say(of: id)
        } catch {
            switch error.code {
            case .listRefused: return nil
            case .server(let status) where status < 500 && error.underlying is Refusal: return nil
            default: throw Self.notListed
            }
        }
        switch say {
        case .listed: return true
        case .unlisted: return false
        case .unknown: throw Self.notListed
        }
    }

    /// The server has one word for everything that it doesn't take. Its list tells what became of
    /// the challenge, but never by whom.
    private func refused(
        _ form: AnswerForm, _ announcement: inout Announcement, _ account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let id = announcement.notice.id
        var isListed = try await isListed(id, account)
        if isListed == false {
            // The core asks for more lists.
            if again { throw Self.notListed }
            // A node that lags says no as well, and its list lacks what another one's has.
            await calls.environment.clock.sleep(for: Self.lagTime)
            isListed = try await self.isListed(id, account)
        }
        switch isListed {
        case true? where form.isChoice && !again:
            var context = try announcement.note
            context.wrongChoices += 1
            let left = max(0, ChallengeContext.maximumChoices - context.wrongChoices)
            announcement.renew(context.sealed)
            return .notTaken(
                .init(.wrongChoice, mayRetry: true, attemptsLeft: left, status: 200))
        // The same word is for a user who is blocked for a while, or a node that lags: an earlier copy
        // that is on its way may meet another cause.
        case true?:
            return .notTaken(.init(.other, mayRetry: true, status: 200))
        case false?:
            return .notTaken(.init(.stateChanged, mayRetry: false, status: 200))
        case nil where again:
            return .unknown("It wasn't taken again; an earlier copy may have been.")
        case nil:
            let reason: Outcome.Refusal.Reason = form.isChoice ? .wrongChoiceOrOver : .stateChanged
            return .notTaken(.init(reason, mayRetry: false, status: 200))
        }
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        do throws(PushError) {
            switch try await lists.list(of: account).say(of: announcement.notice.id) {
            case .listed: return .open
            case .unlisted: return .unlisted
            case .unknown: return .unknown
            }
        } catch {
            // Asked again later, or not at all.
            switch error.code {
            case .listRefused: return .unknown
            case .server(let status) where status < 500 && status != 429: return .unknown
            default: throw error
            }
        }
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        let list = try await lists.list(of: account)
        // What it has is exactly what the server still takes an answer for.
        return Pending(
            list.announcements, isComplete: list.isComplete, endsUnlisted: .unknown)
    }
}
