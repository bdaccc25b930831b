import PushCore

extension Personalizer {
    /// Tells a manager the Firebase token of this app, or takes it away: the user's opt-out.
    ///
    /// An app has one token, so a new one is told to the other managers as well, except those from
    /// which the user wants no pushes. What couldn't be told is told later, by the authenticator.
    ///
    /// - Parameters:
    ///   - idmIdentifier: The manager; it must be personalized.
    ///   - token: The token; `nil` so that this manager sends no pushes any more.
    /// - Throws: ``XignSdkError`` if the manager couldn't be told now.
    public func updatePushToken(
        idmIdentifier: String, token: String?
    ) async throws(XignSdkError) {
        let id = provider.access.enrollment(at: idmIdentifier)
        do throws(PushError) {
            guard try await isPersonalized(id) else {
                throw PushError(
                    .unknownEnrollment, "The manager isn't personalized on this device.")
            }
            guard let token else {
                return try await authenticator.turn(of: id) { () async throws(PushError) -> Void in
                    try await provider.note(.unwanted, at: id)
                    try await provider.enroller.update(nil, for: id)
                }
            }
            // In its turn, too: what the manager is being told now must not undo it.
            try await authenticator.turn(of: id) { () async throws(PushError) -> Void in
                try await provider.note(.wanted, at: id)
            }
            try await authenticator.deviceTokenChanged(.fcm(token), for: id)
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
