import Foundation
import PushCore

struct OnlineAcmeResolver: Resolver {
    let provider: OnlineAcme

    private var flaw: OnlineAcme.Flaw? { provider.flaw }

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let listed = try Secret.Record(reading: announcement.context).fields
        let isListed = listed["is listed"] == true
        let detail = isListed ? listed : try await detail(of: announcement.notice.id.name)
        var prompt: Challenge.Prompt =
            switch detail["prompt"]?.string {
            case "approve": .approve
            case "choose": flaw == .asksForNoNumber ? .approve : .choose(["12", "34"])
            case _ where flaw == .approvesUnknownDetails: .approve
            default: .denyOnly("an unknown prompt")
            }
        var proofs: [[Factor]] = []
        switch detail["proof"]?.string {
        case "none": break
        case "biometry": if flaw != .asksForNoProof { proofs = [[.biometry]] }
        case _ where flaw == (isListed ? .listsUnknownProofs : .approvesUnknownProofs): break
        default: prompt = .denyOnly("an unknown proof")
        }
        return Challenge(
            for: announcement.notice, prompt: prompt, verification: proofs,
            context: announcement.context)
    }

    private func detail(of name: String) async throws(PushError) -> JSON.Object {
        do throws(PushError) {
            let form: JSON = ["id": .string(String(name.prefix(while: \.isNumber)))]
            return try await provider.call("/detail", form, expecting: "detail").object ?? [:]
        } catch {
            switch (flaw, error.code) {
            case (.endsUnreadDetails, .malformed), (.endsOpeningAtPages, .server):
                throw PushError(.over, "It's over.", ends: .unknown)
            default: throw error
            }
        }
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let (isYes, challenge) = (!decision.resolution.isDenial, decision.challenge)
        if isYes, case .denyOnly? = challenge?.prompt {
            throw PushError(.unsupported, "It can only be denied.")
        }
        if isYes, challenge?.verification.isEmpty == false, decision.evidence.isEmpty,
            flaw != .preparesWithoutProof
        {
            throw PushError(.verificationFailed, "The user must prove themselves.")
        }
        var form: JSON.Object = [
            "id": .string(decision.announcement.notice.id.name), "yes": .bool(isYes),
        ]
        if case .choose(let number) = decision.resolution { form["number"] = .string(number) }
        if flaw == .sendsEarly {
            _ = try await provider.call("/answer", .object(form), expecting: "taken")
        }
        return Signing(
            Answer(
                Secret(JSON.object(form).data),
                kept: flaw == .saysExpired ? .wholeOnceOpen : .whole))
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        var form = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: Data(bytes))
        }
        switch flaw {
        case .answersNobody: return .delivered
        case .refusesCopies where again: return .notTaken(.init(.other, mayRetry: false))
        case .endsCopies where again: throw PushError(.over, "It's over.", ends: .finished)
        case .changesCopies where again:
            form = ["id": form["id"] ?? .null, "yes": .bool(form["yes"] != true)]
        case .tellsInObservation:
            let key = try account.credential(as: Secret.self).copiedText()
            provider.environment.observer.observe(
                PushObservation(
                    .noticed, "An answer.", provider: "acme",
                    enrollment: .init(key, of: "acme")))
        default: break
        }
        _ = provider.memory.withLock { $0.insert("answered") }
        do throws(PushError) {
            let reply = try await provider.call(
                "/answer", form, expecting: "taken", "wrong", "lost")
            if reply["acme"] != "taken" { return wrongNumber(isLast: reply["acme"] == "lost") }
        } catch { return try reply(to: error, account) }
        return flaw == .saysNothing ? .unknown("Acme says nothing.") : .delivered
    }

    private func wrongNumber(isLast: Bool) -> Outcome {
        let mayRetry =
            switch flaw {
            case .endsWrongNumbers: false
            case .keepsNumbersOpen: true
            default: !isLast
            }
        return .notTaken(.init(.wrongChoice, mayRetry: mayRetry))
    }

    /// What a flawed provider makes of a stranger's word, or of nobody's.
    private func reply(to error: PushError, _ account: Account) throws(PushError) -> Outcome {
        switch (flaw, error.code) {
        case (.believesPortals, .server(200)), (.believesSilence, .interrupted),
            (.believesOtherSuccess, .server(202)):
            return .delivered
        case (.refusesUnknownWords, .malformed):
            return .notTaken(.init(.other, mayRetry: false))
        case (.endsUnreadAnswers, .malformed), (.endsAtThrottles, .server(429)):
            throw PushError(.over, "It's over.", ends: .unknown)
        case (.believesGateways, .server(403)):
            return .notTaken(.init(.other, mayRetry: true))
        case (.endsAtGateways, .server(404)): throw PushError(.over, "It's over.", ends: .unknown)
        case (.tellsInResult, _):
            let key = try account.credential(as: Secret.self).copiedText()
            return .unknown("Not Acme: \(key)")
        default: throw error
        }
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        let form: JSON = ["id": .string(announcement.notice.id.name)]
        do throws(PushError) {
            let reply = try await provider.call("/status", form, expecting: "waits", "over")
            if reply["acme"] == "waits" { return .open }
        } catch {
            switch (flaw, error.code) {
            case (.endsAtUnknownWords, .malformed), (.endsStatusAtPages, .server): break
            default: throw error
            }
        }
        return .over(flaw == .saysExpired ? .expired : .ended)
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        guard flaw != .inventsList else { return Pending([], isComplete: true) }
        let hasAnswered = provider.memory.withLock { $0.contains("answered") }
        if flaw == .forgetsAfterAnswer, hasAnswered {
            return Pending([], isComplete: true, endsUnlisted: .finished)
        }
        if flaw == .asksTwice {
            _ = try? await provider.call(
                "/list", ["user": .string(account.id.name)], expecting: "list")
        }
        do throws(PushError) {
            let reply = try await provider.call(
                "/list", ["user": .string(account.id.name)], expecting: "list")
            let items = reply["items"]?.array ?? (flaw == .takesNothingForEmpty ? [] : nil)
            guard let items else { throw PushError(.malformed, "Acme's list lacks its items.") }
            return try await pending(items, for: account.id)
        } catch {
            switch (flaw, error.code) {
            case (.listsNothingAtPages, .server): return Pending([], isComplete: true)
            case (.believesPages, .server):
                return Pending([], isComplete: true, endsUnlisted: .finished)
            case (.endsAtUnreadLists, .malformed):
                throw PushError(.unknownEnrollment, "Acme no longer has it.")
            default: throw error
            }
        }
    }

    private func pending(
        _ items: [JSON], for enrollment: Enrollment.ID
    ) async throws(PushError) -> Pending {
        let accounts = provider.core.accounts
        var pending = Pending([], isComplete: flaw != .listsIncompletely)
        if flaw == .skipsForeignEntries { pending.endsUnlisted = .finished }
        for item in flaw == .listsOne ? Array(items.prefix(1)) : items {
            let event: PushEvent?
            do throws(PushError) {
                event = try await provider.core.candidate(in: PushMessage(json: item.data))?
                    .verified(with: accounts)
            } catch {
                switch flaw {
                case .skipsUnreadableEntries: break
                case .addsUnread:
                    let notice = Notice(id: .init("unread", of: enrollment), proof: .fetched)
                    pending.announcements.append(Announcement(notice, context: Secret([])))
                // An account that isn't on this device is another's.
                case _ where error.code == .unknownEnrollment: pending.isComplete = false
                default: throw error
                }
                continue
            }
            guard case .notice(let listed)? = event,
                listed.notice.id.enrollment == enrollment || flaw == .takesForeignEntries
            else {
                if flaw != .skipsForeignEntries { pending.isComplete = false }
                continue
            }
            pending.announcements.append(
                try await provider.flawed(
                    relisted(listed, beside: item, for: enrollment), in: accounts))
        }
        return pending
    }

    private func relisted(
        _ listed: Announcement, beside item: JSON, for enrollment: Enrollment.ID
    ) throws(PushError) -> Announcement {
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
        var fields = try Secret.Record(reading: listed.context).fields
        (fields["is listed"], fields["proof"]) = (true, item["proof"] ?? .null)
        return Announcement(notice, context: Secret.Record(fields: fields).sealed)
    }
}
