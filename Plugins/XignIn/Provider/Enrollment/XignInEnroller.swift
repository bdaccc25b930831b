import PushCore

struct XignInEnroller: Enroller {
    let provider: XignIn

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? { nil }
    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment { throw PushError(.unsupported, "Not written yet.") }
    func update(_ deviceToken: DeviceToken?, for enrollment: Enrollment.ID) async throws(PushError) {}
    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        try await provider.vault.existing(enrollment).enrollment
    }
    func remove(_ enrollment: Enrollment.ID) async throws(PushError) {}
}
