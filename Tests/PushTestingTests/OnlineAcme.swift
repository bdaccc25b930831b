import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// Acme's provider beside its server, sound or with one of the flaws that the check against a
/// server must find.
struct OnlineAcme: PushProvider {
    enum Flaw: CaseIterable {
        case offersAnything, offersForAnother, staysPending, enrollsWithAnybody, keepsWhatFailed
        case saysDone, spendsInvitations, removesNothing, escapesGuards
        case answersNobody, saysNothing, sendsEarly, refusesCopies, endsCopies, changesCopies
        case believesPortals, believesGateways, endsAtGateways, believesSilence, saysExpired
        case listsOne, listsForAnother, listsAnew, renamesListed, listsIncompletely
        case believesPages, forgetsAfterAnswer, inventsList, takesForeignEntries,
            skipsForeignEntries
        case tellsInError, tellsInResult, tellsInEnrollment, tellsInNotice, tellsInName
        case tellsInObservation, tellsInvitation
        // What makes too much of the server's own replies.
        case enrollsUnread, isNotScoped, approvesUnknownDetails, approvesUnknownProofs
        case listsUnknownProofs, skipsUnreadableEntries, takesNothingForEmpty, endsAtUnknownWords
        case endsUnreadDetails, endsAtUnreadLists, refusesUnknownWords, endsUnreadAnswers
        case endsWrongNumbers, keepsNumbersOpen, asksForNoProof, asksForNoNumber
        case endsAtThrottles, believesOtherSuccess, addsUnread
        case endsOpeningAtPages, endsStatusAtPages, listsNothingAtPages
        // What no check sees.
        case preparesWithoutProof, asksTwice, keepsSecrets
    }

    let id: ProviderID = "acme"
    let flaw: Flaw?
    let core: Acme
    let environment: PushEnvironment

    /// What a flawed provider remembers: that it answered, which invitations it has seen.
    let memory = Locked<Set<String>>([])

    init(_ flaw: Flaw? = nil, in environment: PushEnvironment) {
        self.flaw = flaw
        self.environment = flaw == .isNotScoped ? environment : environment.scoped(to: "acme")
        core = Acme(in: self.environment)
    }

    var capabilities: Capabilities { flaw == .inventsList ? [] : .pendingList }
    var pushServices: [DeviceToken.Service] { [.fcm] }
    var guarded: Capabilities.GuardedPart? { .biometry }
    var enroller: any Enroller { OnlineAcmeEnroller(provider: self) }
    var resolver: any Resolver { OnlineAcmeResolver(provider: self) }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        guard let candidate = core.candidate(in: message) else { return nil }
        return PushMessage.Candidate(message) { (_, accounts) async throws(PushError) in
            let event = try await candidate.verified(with: accounts)
            guard case .notice(let announcement) = event else { return event }
            return .notice(try await flawed(announcement, in: accounts))
        }
    }

    /// The announcement, unless the flaw is in it.
    func flawed(
        _ announcement: Announcement, in accounts: Accounts
    ) async throws(PushError) -> Announcement {
        let notice = announcement.notice
        let account = try await accounts.existing(notice.id.enrollment)
        let key = try account.credential(as: Secret.self).copiedText()
        let title = flaw == .tellsInNotice ? key : notice.title
        let changed = Notice(
            id: notice.id, title: title, expiry: notice.expiry,
            proof: notice.proof)
        return Announcement(changed, context: announcement.context)
    }

    /// One exchange; what doesn't say that it's Acme's is nobody's word.
    func call(
        _ path: String, _ form: JSON, expecting words: String...
    ) async throws(PushError) -> JSON {
        var request = HTTPRequest(
            method: .post, scheme: "https", authority: "acme.example", path: path)
        request.headerFields[.contentType] = "application/json"
        let (response, body) = try await environment.transport.send(request, body: form.data)
        guard response.status == .ok, let reply = try? JSON(parsing: body) else {
            throw PushError(.server(status: response.status.code), await reason(of: form))
        }
        guard let word = reply["acme"]?.string, words.contains(word) else {
            throw PushError(.malformed, await reason(of: form))
        }
        return reply
    }

    private func reason(of form: JSON) async -> String {
        switch flaw {
        case .tellsInError:
            let user = Enrollment.ID(form["user"]?.string ?? "", of: id)
            let key = try? await core.accounts.existing(user).credential(as: Secret.self)
            return "Not Acme: \(key?.copiedText() ?? "")"
        case .tellsInvitation: return "Not Acme: \(form["code"]?.string ?? "")"
        default: return "Not Acme."
        }
    }
}
