import PushCore

/// A provider that behaves as another one, but for what a test says otherwise.
protocol ProviderVariant: PushProvider, Enroller, Resolver {
    var base: any PushProvider { get }
}

extension ProviderVariant {
    var id: ProviderID { base.id }
    var capabilities: Capabilities { base.capabilities }
    var pushServices: [PushService] { base.pushServices }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }

    func candidate(in message: PushMessage) -> PushCandidate? { base.candidate(in: message) }

    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? { try base.merged(known, other) }

    // MARK: Enroller

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        try base.enroller.offer(invitation)
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try await base.enroller.enroll(offer, with: evidence, deviceToken: deviceToken)
    }

    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        try await base.enroller.update(deviceToken, for: enrollment)
    }

    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        try await base.enroller.refresh(enrollment)
    }

    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        try await base.enroller.remove(enrollment, from: place)
    }

    // MARK: Resolver

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        try await base.resolver.challenge(for: announcement)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        try await base.resolver.prepare(decision)
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        try await base.resolver.send(answer, for: announcement, again: again)
    }

    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        try await base.resolver.status(of: announcement, kept: kept)
    }

    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        try await base.resolver.pending(for: enrollment, after: hint)
    }
}
