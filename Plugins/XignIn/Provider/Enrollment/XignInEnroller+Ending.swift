import PushCore

extension XignInEnroller {
    /// Tells the manager the device token, or that there is none.
    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        let isSet = try await provider.value(
            of: try await provider.format.setDeviceToken(
                deviceToken, of: enrollment, using: provider.access),
            at: enrollment)
        guard isSet == (deviceToken != nil) else {
            throw PushError(.malformed, "The manager says that the token is another.")
        }
    }

    /// Ends the activation at the manager, unless it ends on this device alone, and then on this
    /// device in any case.
    ///
    /// - Throws: `PushError` if the manager couldn't be told: nothing is left on the device then, but
    ///   the manager may go on sending pushes, which are refused here. Called again, it returns.
    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        guard place == .everywhere else { return try await forget(enrollment) }
        let state = try? await vault.credential(enrollment)?.enrollment.state
        let reply = await Result { () async throws(PushError) -> XignInReply<Bool> in
            try await provider.format.endActivation(enrollment, using: provider.access)
        }
        try await forget(enrollment)
        switch reply {
        case .success(.done(true)), .success(.refused(.activationUnknown)): return
        case .failure(let failure) where failure.code == .unknownEnrollment:
            guard state == .pending(.unconfirmed) else { return }
            environment.observer.observe(
                Observation(
                    .noticed, "An activation was removed that its manager may have made.",
                    provider: provider.id))
        case .failure(let failure):
            throw PushError(
                failure.code, "Removed here, but the manager couldn't be told: \(failure.reason)",
                underlying: failure)
        case .success:
            throw PushError(
                .server(status: 400), "Removed here, but the manager didn't end the activation.")
        }
    }
}
