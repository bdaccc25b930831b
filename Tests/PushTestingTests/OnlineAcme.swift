import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// Acme's provider beside its server, sound or with one of the flaws that the check against a server
/// must find.
struct OnlineAcme: PushProvider {
    enum Flaw: CaseIterable {
        case offersAnything, offersForAnother, staysPending, enrollsWithAnybody, keepsWhatFailed
        case saysDone, spendsInvitations, removesNothing
        case answersNobody, saysNothing, sendsEarly, refusesCopies, endsCopies, changesCopies
        case believesPortals, believesGateways, endsAtGateways, believesSilence, saysExpired
        case listsOne, listsForAnother, listsAnew, renamesListed, listsIncompletely
        case believesPages, forgetsAfterAnswer, inventsList, takesForeignEntries,
            skipsForeignEntries
        case tellsInError, tellsInResult, tellsInEnrollment, tellsInNotice, tellsInName
        case tellsInObservation, tellsInvitation
    }

    let id: ProviderID = "acme"
    let flaw: Flaw?
    let core: Acme
    let environment: PushEnvironment

    /// What a flawed provider remembers: that it answered, which invitations it has seen.
    let memory = Locked<Set<String>>([])

    init(_ flaw: Flaw? = nil, in environment: PushEnvironment) {
        (self.flaw, self.environment) = (flaw, environment)
        core = Acme(in: environment)
    }

    var capabilities: Capabilities { flaw == .inventsList ? [] : .pendingList }
    var pushServices: [PushService] { [.fcm] }
    var enroller: any Enroller { OnlineAcmeEnroller(provider: self) }
    var resolver: any Resolver { OnlineAcmeResolver(provider: self) }

    func candidate(in message: PushMessage) -> PushCandidate? {
        guard let candidate = core.candidate(in: message) else { return nil }
        return PushCandidate(message) { (message) async throws(PushError) in
            let event = try await candidate.verified()
            guard case .notice(let announcement) = event else { return event }
            return .notice(try await flawed(announcement))
        }
    }

    /// The announcement, unless the flaw is in it.
    func flawed(_ announcement: Announcement) async throws(PushError) -> Announcement {
        let notice = announcement.notice
        let key = try await core.vault.existing(notice.id.enrollment).secret.copiedText()
        let name = notice.id.name + (flaw == .tellsInName ? key : "")
        let title = flaw == .tellsInNotice ? key : notice.title
        let changed = Notice(
            id: .init(name, of: notice.id.enrollment), title: title, expiry: notice.expiry,
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
        let reply = try? JSON(parsing: body)
        guard response.status == .ok, let reply, words.contains(reply["acme"]?.string ?? "") else {
            throw PushError(.server(status: response.status.code), await reason(of: form))
        }
        return reply
    }

    private func reason(of form: JSON) async -> String {
        switch flaw {
        case .tellsInError:
            let credential = try? await core.vault.credential(
                .init(form["user"]?.string ?? "", of: id))
            return "Not Acme: \(credential?.secret.copiedText() ?? "")"
        case .tellsInvitation: return "Not Acme: \(form["code"]?.string ?? "")"
        default: return "Not Acme."
        }
    }
}

struct OnlineAcmeEnroller: Enroller {
    let provider: OnlineAcme

    private var flaw: OnlineAcme.Flaw? { provider.flaw }
    private var vault: Vault { provider.core.vault }

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard let text = invitation.scannedText,
            text.hasPrefix("acme:") || flaw == .offersAnything
        else { return nil }
        return Offer(
            provider: flaw == .offersForAnother ? "another" : provider.id, invitation: invitation)
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        let code = offer.invitation.scannedText ?? ""
        if flaw == .spendsInvitations, !provider.memory.withLock({ $0.insert(code).inserted }) {
            throw PushError(.notFound, "It was used.")
        }
        if flaw == .keepsWhatFailed { try await create("ada", "no key at all") }
        do throws(PushError) {
            let reply = try await provider.call(
                "/enroll", ["code": .string(code)], expecting: "enrolled")
            return try await create(reply["user"]?.string ?? "", reply["key"]?.string ?? "")
        } catch {
            switch (flaw, error.code) {
            case (.enrollsWithAnybody, .server(200)):
                return try await create("ada", "no key at all")
            case (.saysDone, .interrupted): return enrollment(of: "ada", key: "")
            default: throw error
            }
        }
    }

    @discardableResult
    private func create(_ user: String, _ key: String) async throws(PushError) -> Enrollment {
        let enrollment = enrollment(of: user, key: key)
        // A later invitation replaces what an earlier one left.
        if try await vault.credential(enrollment.id) != nil {
            try await vault.delete(enrollment.id)
        }
        try await vault.create(Credential(enrollment, secret: Secret(copying: key)))
        return enrollment
    }

    private func enrollment(of user: String, key: String) -> Enrollment {
        Enrollment(
            id: .init(user, of: provider.id), issuer: flaw == .tellsInEnrollment ? key : "Acme",
            state: flaw == .staysPending ? .pending(.unconfirmed) : .active,
            created: provider.environment.clock.now)
    }

    func update(_ deviceToken: DeviceToken?, for enrollment: Enrollment.ID) async throws(PushError)
    {
    }

    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        try await vault.existing(enrollment).enrollment
    }

    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        if flaw != .removesNothing { try await vault.delete(enrollment) }
    }
}

struct OnlineAcmeResolver: Resolver {
    let provider: OnlineAcme

    private var flaw: OnlineAcme.Flaw? { provider.flaw }

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        try await provider.core.challenge(for: announcement)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        let form: JSON = [
            "id": .string(decision.announcement.notice.id.name),
            "yes": .bool(!decision.resolution.isDenial),
        ]
        if flaw == .sendsEarly { _ = try await provider.call("/answer", form, expecting: "taken") }
        return Answer(Secret(form.data), kept: flaw == .saysExpired ? .wholeOnceOpen : .whole)
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        var form = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: Data(bytes))
        }
        let id = announcement.notice.id.enrollment
        switch flaw {
        case .answersNobody: return Reply(.delivered)
        case .refusesCopies where again: return Reply(.notTaken(.init(.other, mayRetry: false)))
        case .endsCopies where again: throw PushError(.over, "It's over.", ends: .finished)
        case .changesCopies where again:
            form = ["id": form["id"] ?? .null, "yes": .bool(form["yes"] != true)]
        case .tellsInObservation:
            let key = try await provider.core.vault.existing(id).secret.copiedText()
            provider.environment.observer.observe(
                PushObservation(
                    .noticed, "An answer.", provider: "acme",
                    enrollment: .init(key, of: "acme")))
        default: break
        }
        _ = provider.memory.withLock { $0.insert("answered") }
        do throws(PushError) {
            _ = try await provider.call("/answer", form, expecting: "taken")
        } catch { return try await reply(to: error, id) }
        return Reply(flaw == .saysNothing ? .unknown("Acme says nothing.") : .delivered)
    }

    /// What a flawed provider makes of a stranger's word, or of nobody's.
    private func reply(
        to error: PushError, _ id: Enrollment.ID
    ) async throws(PushError) -> Reply {
        switch (flaw, error.code) {
        case (.believesPortals, .server(200)), (.believesSilence, .interrupted):
            return Reply(.delivered)
        case (.believesGateways, .server(403)):
            return Reply(.notTaken(.init(.other, mayRetry: true)))
        case (.endsAtGateways, .server(404)): throw PushError(.over, "It's over.", ends: .unknown)
        case (.tellsInResult, _):
            let key = try await provider.core.vault.existing(id).secret.copiedText()
            return Reply(.unknown("Not Acme: \(key)"))
        default: throw error
        }
    }

    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        let name = announcement.notice.id.name
        let reply = try await provider.call(
            "/status", ["id": .string(name)], expecting: "waits", "over")
        if reply["acme"] == "waits" { return .open }
        return .over(flaw == .saysExpired ? .expired : .ended)
    }

    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        guard flaw != .inventsList else { return Pending([], isComplete: true) }
        let hasAnswered = provider.memory.withLock { $0.contains("answered") }
        if flaw == .forgetsAfterAnswer, hasAnswered {
            return Pending([], isComplete: true, endsUnlisted: .finished)
        }
        do throws(PushError) {
            let reply = try await provider.call(
                "/list", ["user": .string(enrollment.name)], expecting: "list")
            return try await pending(reply["items"]?.array ?? [], for: enrollment)
        } catch {
            guard flaw == .believesPages, case .server = error.code else { throw error }
            return Pending([], isComplete: true, endsUnlisted: .finished)
        }
    }

    private func pending(
        _ items: [JSON], for enrollment: Enrollment.ID
    ) async throws(PushError) -> Pending {
        var pending = Pending([], isComplete: flaw != .listsIncompletely)
        if flaw == .skipsForeignEntries { pending.endsUnlisted = .finished }
        for item in flaw == .listsOne ? Array(items.prefix(1)) : items {
            let event = try await provider.core.candidate(in: PushMessage(json: item.data))?
                .verified()
            guard case .notice(let listed)? = event,
                listed.notice.id.enrollment == enrollment || flaw == .takesForeignEntries
            else {
                if flaw != .skipsForeignEntries { pending.isComplete = false }
                continue
            }
            pending.announcements.append(
                try await provider.flawed(relisted(listed, for: enrollment)))
        }
        return pending
    }

    private func relisted(_ listed: Announcement, for enrollment: Enrollment.ID) -> Announcement {
        var (name, title, owner) = (listed.notice.id.name, listed.notice.title, enrollment)
        switch flaw {
        case .listsForAnother: owner = .init(enrollment.name == "ada" ? "bob" : "ada", of: "acme")
        case .listsAnew:
            title = provider.memory.withLock { memory in
                memory.insert("list \(memory.count)")
                return "Log in? \(memory.count)"
            }
        case .renamesListed: name = "listed \(name)"
        default: break
        }
        let notice = Notice(
            id: .init(name, of: owner), title: title, expiry: listed.notice.expiry,
            proof: listed.notice.proof)
        return Announcement(notice, context: listed.context)
    }
}
