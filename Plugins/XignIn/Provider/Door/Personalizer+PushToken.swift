import PushCore

extension Personalizer {
    /// Gives a manager a Firebase token of its own, or takes it away: the user's opt-out.
    ///
    /// It changes no other manager's, and from then on `PushAuthenticator.deviceTokenChanged(_:)`
    /// doesn't reach this one: as the vendor documents it, a token that rotates is told to each
    /// manager by a call of its own. To let it follow the app's token again, call
    /// `PushAuthenticator.deviceTokenFollowsDevice(for:)`.
    ///
    /// - Parameters:
    ///   - idmIdentifier: The manager; it must be personalized.
    ///   - token: The token; `nil` so that this manager sends no pushes any more.
    /// - Throws: ``XignSdkError`` if the manager couldn't be told now: it is told later, by the
    ///   authenticator.
    public func updatePushToken(
        idmIdentifier: String, token: String?
    ) async throws(XignSdkError) {
        let id = provider.access.enrollment(at: idmIdentifier)
        do throws(PushError) {
            guard try await isPersonalized(id) else {
                throw PushError(
                    .unknownEnrollment, "The manager isn't personalized on this device.")
            }
            try await authenticator.deviceTokenChanged(token.map(DeviceToken.fcm), for: id)
        } catch {
            throw XignSdkError(error)
        }
    }

    private func isPersonalized(_ id: Enrollment.ID) async throws(PushError) -> Bool {
        guard let enrollment = try await provider.vault.credential(id)?.enrollment else {
            return false
        }
        return enrollment.state != .pending(.unconfirmed)
    }
}
