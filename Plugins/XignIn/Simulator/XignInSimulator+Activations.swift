public import PushCore

extension XignInSimulator {
    var managerKeys: JSON { ["keys": .array(keys.map(\.jwk))] }

    /// What a device asks about its own activation.
    func performOnActivation(_ call: Call, _ request: CheckedRequest) throws(Refusal) -> JSON {
        switch call {
        case .managerKeys: return ["manager_keys": managerKeys]
        case .removal:
            remove(request.issuer)
            return ["removed": true]
        default: return try setToken(request)
        }
    }

    /// Replaces a push token, unless a younger request already did.
    private func setToken(_ request: CheckedRequest) throws(Refusal) -> JSON {
        let members = try Members(request.body)
        let token = try members.optional("token")
        guard let platform = Activation.Platform(rawValue: try members.text("platform")) else {
            throw .malformed("platform is none of apns, fcm, test")
        }
        guard var activation = activations[request.issuer] else { throw .activationUnknown }
        if request.time >= activation.tokenTime {
            activation.token = token
            activation.platform = platform
            activation.tokenTime = request.time
            activations[activation.id] = activation
        }
        return ["token_set": .bool(activation.token != nil)]
    }

    func remove(_ activation: String) {
        activations[activation] = nil
        order.removeAll { $0 == activation }
    }

    func activations(of user: String) -> [Activation] {
        order.compactMap { activations[$0] }.filter { $0.user == user }
    }

    // MARK: An administrator's

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
