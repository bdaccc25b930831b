import PushCore

@testable import FictionalVendor

/// A plugin of which something is wrong, in a test of the check that every plugin must pass.
struct FlawedProvider: ProviderVariant {
    let base: any PushProvider
    let flaw: PluginFlaw
    let environment: PushEnvironment

    var capabilities: Capabilities {
        flaw == .inventsList ? base.capabilities.subtracting(.pendingList) : base.capabilities
    }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        guard let candidate = base.candidate(in: message), flaw == .tellsInNotice else {
            return base.candidate(in: message)
        }
        return PushMessage.Candidate(message) { (_, accounts) async throws(PushError) in
            let event = try await candidate.verified(with: accounts)
            guard case .notice(let announcement) = event else { return event }
            let id = announcement.notice.id
            let account = try await accounts.existing(id.enrollment)
            return .notice(changed(announcement, id, title: try secretText(of: account)))
        }
    }

    private func changed(
        _ announcement: Announcement, _ id: Challenge.ID, title: String? = nil
    ) -> Announcement {
        let notice = announcement.notice
        return Announcement(
            Notice(
                id: id, title: title ?? notice.title, expiry: notice.expiry, proof: notice.proof),
            context: announcement.context)
    }

    private func secretText(of account: Account) throws(PushError) -> String {
        let secret: Secret = try account.credential()
        let part = (try? Secret.Record(reading: secret))?.secrets.first { $0.count >= 8 }
        return (part ?? secret).withBytes { Hexadecimal.text($0) }
    }

    // MARK: Enroller

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        if flaw == .offersAnything, invitation.scannedText != nil {
            return Invitation.Offer(provider: id, invitation: invitation)
        }
        return try base.enroller.offer(invitation)
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        do throws(PushError) {
            let enrollment = try await base.enroller.enroll(
                offer, with: evidence, deviceToken: deviceToken)
            if flaw == .tellsInObservation {
                let account = try await environment.accounts(for: id).existing(enrollment.id)
                let secret = try secretText(of: account)
                environment.observer.observe(
                    PushObservation(
                        .noticed, "A device enrolled.", provider: id,
                        enrollment: .init(secret, of: id)))
            }
            return enrollment
        } catch {
            guard flaw == .saysDone else { throw error }
            return Enrollment(
                id: .init("nobody", of: id), state: .active, created: environment.clock.now)
        }
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        if flaw != .removesNothing {
            try await base.enroller.remove(account, from: place)
        }
    }

    // MARK: Resolver

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let challenge: Challenge
        do throws(PushError) {
            challenge = try await base.resolver.challenge(for: &announcement, of: account)
        } catch {
            guard flaw == .endsUnopened else { throw error }
            throw PushError(.over, "It's over.", ends: .unknown)
        }
        var prompt = challenge.prompt
        if flaw == .asksForNoNumber {
            switch prompt {
            case .choose, .enter: prompt = .approve
            case .approve, .denyOnly: break
            }
        }
        guard prompt != challenge.prompt || flaw == .asksForNoProof else { return challenge }
        return Challenge(for: announcement.notice, prompt: prompt, context: challenge.context)
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        switch flaw {
        case .answersNobody: return .delivered
        case .refusesCopies where again: return .notTaken(.init(.other, mayRetry: false))
        case .endsCopies where again: throw PushError(.over, "It's over.", ends: .finished)
        default: break
        }
        let outcome: Outcome
        do throws(PushError) {
            outcome = try await base.resolver.send(
                answer, for: &announcement, of: account, again: again)
        } catch {
            switch (flaw, error.code) {
            case (.believesSilence, .interrupted): return .delivered
            case (.refusesAtStrangers, .interrupted), (.refusesAtStrangers, .server):
                return .notTaken(.init(.other, mayRetry: true))
            case (.endsAtStrangers, .interrupted), (.endsAtStrangers, .server),
                (.endsAtPauses, .server(status: 429)):
                throw PushError(.over, "It's over.", ends: .unknown)
            default: throw error
            }
        }
        switch (flaw, outcome) {
        case (.saysNothing, _): return .unknown("Nothing was said.")
        case (.endsWrongNumbers, .notTaken(let refusal)):
            return .notTaken(.init(refusal.reason, mayRetry: false))
        default: return outcome
        }
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        do throws(PushError) {
            return try await base.resolver.status(for: &announcement, of: account, kept: kept)
        } catch {
            guard flaw == .endsUnasked else { throw error }
            return .over(.ended)
        }
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        guard flaw != .inventsList else { return Pending([], isComplete: true) }
        var pending: Pending
        do throws(PushError) {
            pending = try await base.resolver.pending(of: account, after: hint)
        } catch {
            switch flaw {
            case .listsNothing: return Pending([], isComplete: true)
            case .endsUnlisted: throw PushError(.unknownEnrollment, "It no longer has it.")
            default: throw error
            }
        }
        switch flaw {
        case .listsOne: pending.announcements = Array(pending.announcements.prefix(1))
        case .listsIncompletely: pending.isComplete = false
        case .listsForAnother: rename { .init($0.name, of: .init("another", of: id)) }
        case .renamesListed: rename { .init("listed \($0.name)", of: $0.enrollment) }
        default: break
        }
        return pending

        func rename(_ name: (Challenge.ID) -> Challenge.ID) {
            pending.announcements = pending.announcements.map { changed($0, name($0.notice.id)) }
        }
    }
}
