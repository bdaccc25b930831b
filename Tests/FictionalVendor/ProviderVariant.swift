import PushCore

/// A provider that behaves as another one, but for what a test says otherwise.
protocol ProviderVariant: PushProvider, Enroller, Resolver {
    var base: any PushProvider { get }
}

extension ProviderVariant {
    var id: ProviderID { base.id }
    var capabilities: Capabilities { base.capabilities }
    var pushServices: [DeviceToken.Service] { base.pushServices }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        base.candidate(in: message)
    }

    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? { try base.merged(known, other) }

    // MARK: Enroller

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        try base.enroller.offer(invitation)
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try await base.enroller.enroll(offer, with: evidence, deviceToken: deviceToken)
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        try await base.enroller.update(deviceToken, of: account)
    }

    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        try await base.enroller.refresh(account)
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await base.enroller.remove(account, from: place)
    }

    // MARK: Resolver

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        try await base.resolver.challenge(for: &announcement, of: account)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        try await base.resolver.prepare(decision, of: account)
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        try await base.resolver.send(answer, for: &announcement, of: account, again: again)
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        try await base.resolver.status(for: &announcement, of: account, kept: kept)
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        try await base.resolver.pending(of: account, after: hint)
    }
}
