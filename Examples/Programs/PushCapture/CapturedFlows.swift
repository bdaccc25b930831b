import PushCore

/// An enroller whose steps are written down.
struct CapturedEnroller: Enroller {
    let base: any Enroller
    let id: ProviderID
    let log: CaptureLog

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        do throws(PushError) {
            guard let offer = try base.offer(invitation) else { return nil }
            note("offer", [:])
            return offer
        } catch {
            log.note("offer", id) { $0.error(error) }
            throw error
        }
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try await noting("enroll") { () async throws(PushError) in
            try await base.enroll(offer, with: evidence, deviceToken: deviceToken)
        }
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        try await noting("token") { () async throws(PushError) in
            try await base.update(deviceToken, of: account)
        }
    }

    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        try await noting("refresh") { () async throws(PushError) in
            try await base.refresh(account)
        }
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await noting("remove") { () async throws(PushError) in
            try await base.remove(account, from: place)
        }
    }

    private func noting<Value>(
        _ event: String, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            let value = try await body()
            note(event, ["verdict": "done"])
            return value
        } catch {
            log.note(event, id) { JSON.Object([("verdict", "failed")]).adding($0.error(error)) }
            throw error
        }
    }

    private func note(_ event: String, _ members: JSON.Object) {
        log.note(event, id) { _ in members }
    }
}

/// A resolver whose steps are written down.
struct CapturedResolver: Resolver {
    let base: any Resolver
    let id: ProviderID
    let log: CaptureLog

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        try await noting("open", announcement.notice.id) { () async throws(PushError) in
            try await base.challenge(for: &announcement, of: account)
        } saying: { challenge in
            ["verdict": "done", "prompt": .string(challenge.prompt.capturedWord)]
        }
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let word = decision.resolution.capturedWord
        return try await noting(
            "decide", decision.announcement.notice.id, with: ["resolution": .string(word)]
        ) { () async throws(PushError) in
            try await base.prepare(decision, of: account)
        } saying: { _ in
            ["verdict": "done"]
        }
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        try await noting("answer", announcement.notice.id, with: ["again": .bool(again)]) {
            () async throws(PushError) in
            try await base.send(answer, for: &announcement, of: account, again: again)
        } saying: { outcome in
            outcome.captured
        }
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        try await noting("status", announcement.notice.id) { () async throws(PushError) in
            try await base.status(for: &announcement, of: account, kept: kept)
        } saying: { status in
            switch status {
            case .open: ["verdict": "open"]
            case .over(let outcome): outcome.captured
            case .unlisted, .unknown: ["verdict": "unknown"]
            @unknown default: ["verdict": "unknown"]
            }
        }
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        do throws(PushError) {
            let pending = try await base.pending(of: account, after: hint)
            log.note("list", id) { _ in
                [
                    "verdict": "done", "complete": .bool(pending.isComplete),
                    "challenges": .number(.init(Int64(pending.announcements.count))),
                ]
            }
            return pending
        } catch {
            log.note("list", id) { JSON.Object([("verdict", "failed")]).adding($0.error(error)) }
            throw error
        }
    }

    private func noting<Value>(
        _ event: String, _ challenge: Challenge.ID, with extra: JSON.Object = [:],
        _ body: () async throws(PushError) -> Value, saying words: (Value) -> JSON.Object
    ) async throws(PushError) -> Value {
        let extra = extra.adding(["row": await log.row(of: challenge)])
        do throws(PushError) {
            let value = try await body()
            log.note(event, id, challenge) { _ in extra.adding(words(value)) }
            return value
        } catch {
            log.note(event, id, challenge) {
                extra.adding(["verdict": "failed"]).adding($0.error(error))
            }
            throw error
        }
    }
}

extension Challenge.Prompt {
    fileprivate var capturedWord: String {
        switch self {
        case .approve: "approve"
        case .choose(let options): "choose of \(options.count)"
        case .enter(let digits): "enter \(digits)"
        case .denyOnly: "deny only"
        @unknown default: "unknown"
        }
    }
}

extension Resolution {
    /// What was chosen, without the number.
    fileprivate var capturedWord: String {
        switch self {
        case .approve: "approve"
        case .choose: "choose"
        case .enter: "enter"
        case .deny: "deny"
        }
    }
}

extension Outcome {
    fileprivate var captured: JSON.Object {
        switch self {
        case .delivered: ["verdict": "delivered"]
        case .notTaken(let refusal):
            JSON.Object([("verdict", "notTaken")]).adding([
                "why": .string(refusal.reason.rawValue), "again": .bool(refusal.mayRetry),
            ])
        case .expired: ["verdict": "expired"]
        case .answeredElsewhere: ["verdict": "answeredElsewhere"]
        case .cancelled: ["verdict": "cancelled"]
        case .code: ["verdict": "code"]
        case .ended: ["verdict": "ended"]
        case .verifyAgain: ["verdict": "verifyAgain"]
        case .unknown: ["verdict": "unknown"]
        @unknown default: ["verdict": "another"]
        }
    }
}
