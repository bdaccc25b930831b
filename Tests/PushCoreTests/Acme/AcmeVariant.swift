import PushCore

/// An Acme that behaves as usual, but for what a test says otherwise.
protocol AcmeVariant: PushProvider, Enroller, Resolver {
    var acme: Acme { get }
}

extension AcmeVariant {
    var id: ProviderID { acme.id }
    var capabilities: Capabilities { acme.capabilities }
    var pushServices: [PushService] { acme.pushServices }
    var enroller: any Enroller { self }
    var resolver: any Resolver { self }

    func candidate(in message: PushMessage) -> PushCandidate? { acme.candidate(in: message) }

    // MARK: Enroller

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        try acme.offer(invitation)
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try await acme.enroll(offer, with: evidence, deviceToken: deviceToken)
    }

    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        try await acme.update(deviceToken, for: enrollment)
    }

    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        try await acme.refresh(enrollment)
    }

    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        try await acme.remove(enrollment, from: place)
    }

    // MARK: Resolver

    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        try await acme.challenge(for: announcement)
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        try await acme.prepare(decision)
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        try await acme.send(answer, for: announcement, again: again)
    }

    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        try await acme.status(of: announcement, kept: kept)
    }

    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        try await acme.pending(for: enrollment, after: hint)
    }
}

extension Acme {
    /// What an answer leaves behind if only a part of it may be kept.
    static func part(of announcement: Announcement) -> Secret {
        Secret("part of \(announcement.notice.id.name)".utf8)
    }
}
