/// How enrollments begin.
struct Enrolling: Sendable {
    let core: AuthenticatorCore
    let tokens: DeviceTokens
    let turns: EnrollmentTurns

    /// Joins what an offer describes, after verifying the user where the offer asks for it.
    func enroll(_ offer: Offer) async throws(PushError) -> Enrollment {
        let provider = try core.provider(offer.provider)
        let evidence = try await core.verify(.join(offer), offer.asks, VerificationStyle())
        let enrollment = try await core.turns.turn(.enrolling(offer.provider)) {
            () async throws(PushError) -> Enrollment in
            let deviceToken = try await tokens.desired(by: offer.provider).token
            do throws(PushError) {
                return try await provider.enroller.enroll(
                    offer, with: evidence, deviceToken: deviceToken)
            } catch {
                let error = error.of(offer.provider)
                if error.code != .cancelled {
                    await core.report(error, "An enrollment was refused.")
                }
                throw error
            }
        }
        await tokens.forgetPredecessor(of: enrollment.id)
        await core.publish(.enrollment(enrollment))
        await turns.checkDeviceToken(of: enrollment)
        return enrollment
    }
}
