public import PushCore

// What an administrator of the manager does.

extension XignInSimulator {
    /// A user's personalized devices, oldest first.
    public func devices(of user: String) -> [PersonalizedDevice] {
        activations(of: user).map(\.device)
    }

    /// Removes an activation; its device finds out when it asks next.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such activation.
    public func removeDevice(_ activation: PersonalizedDevice.ID) throws(PushError) {
        _ = try known(activation)
        remove(activation)
    }

    /// Forgets where an activation's pushes go, as when Firebase calls a token unregistered.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such activation.
    public func forgetDeviceToken(of activation: PersonalizedDevice.ID) throws(PushError) {
        _ = try known(activation)
        activations[activation]?.token = nil
    }

    /// How close an activation is to being locked, or for how long it is.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such activation.
    public func lockout(of activation: PersonalizedDevice.ID) throws(PushError) -> Lockout {
        try known(activation).guesses.lockout(
            at: configuration.now, by: configuration.lockouts)
    }

    /// Lifts a lockout, a permanent one too, and forgets the wrong factors.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such activation.
    public func unlock(_ activation: PersonalizedDevice.ID) throws(PushError) {
        _ = try known(activation)
        activations[activation]?.guesses.forget()
    }

    private func known(_ activation: String) throws(PushError) -> Activation {
        guard let known = activations[activation] else {
            throw PushError(.notFound, "There is no such activation.")
        }
        return known
    }

    /// Draws another signing key. Messages are signed with it from now on.
    ///
    /// Answers are still signed with the oldest key, which devices have pinned: among them the one
    /// by which they learn the new key.
    public func addSigningKey() {
        keys.append(ManagerKey(from: configuration.random))
    }

    /// Gives up all keys but the newest.
    ///
    /// Devices that haven't fetched it believe no answer any more, and invitations made before
    /// lead nowhere.
    public func retireOldSigningKeys() {
        keys = Array(keys.suffix(1))
        secrets = secrets.filter { $0.value.use != nil }
    }
}
