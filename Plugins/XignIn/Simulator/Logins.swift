public import PushCore
public import PushTesting

extension XignInSimulator {
    /// Starts a login of a user, and pushes to each of the user's devices that has a token.
    ///
    /// The identifier of the login is that of its process. Without any token nothing is sent, and
    /// the process runs into its deadline. If a fault makes the pushes bad, the process itself is
    /// genuine.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has no personalized device, or
    ///   `unsupported` if the kind has no roles.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) throws(PushError) -> SimulatedLogin {
        guard let roles = configuration.roles[kind], !roles.isEmpty else {
            throw PushError(.unsupported, "No roles are configured for this kind of login.")
        }
        guard !activations(of: user).isEmpty else {
            throw PushError(.notFound, "The user has no personalized device.")
        }
        var process = LoginProcess(
            id: configuration.identifier(.process), user: user, roles: roles,
            configuration: configuration)
        let sent = announcements(of: &process, spoiledBy: fault)
        if fault == .withdrawnFirst {
            process.state = .aborted
            sendCancels(of: process, reason: "aborted")
        }
        processes[process.id] = process
        shell.send(sent)
        if fault == .repeated { shell.send(sent) }
        return SimulatedLogin(id: process.id)
    }

    /// Delivers a login's announcements once more, as a push service may.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func repeatPushes(of login: SimulatedLogin.ID) throws(PushError) {
        shell.send(try known(login).sent)
    }

    /// Aborts a login, as its service would, and tells all of the user's devices.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login, or `over` if it
    ///   has its outcome.
    public func cancel(_ login: SimulatedLogin.ID) throws(PushError) {
        let process = try known(login)
        guard process.isLive(at: configuration.now) else {
            throw PushError(.over, "The login has its outcome.")
        }
        processes[login]?.state = .aborted
        sendCancels(of: process, reason: "aborted")
    }

    /// Where a login stands. One that was aborted, or whose device was locked out, has failed.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        try known(login).status(at: configuration.now)
    }

    /// The activation that took a login over; `nil` if none did, or if the login is over.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func owner(
        of login: SimulatedLogin.ID
    ) throws(PushError) -> PersonalizedDevice.ID? {
        guard case .started(let owner) = try known(login).state else { return nil }
        return owner
    }

    /// The attributes that the user let go, by name; `nil` unless the login was approved.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func releasedAttributes(
        of login: SimulatedLogin.ID
    ) throws(PushError) -> JSON.Object? {
        try known(login).released
    }

    private func known(_ login: String) throws(PushError) -> LoginProcess {
        guard let process = processes[login] else {
            throw PushError(.notFound, "There is no such login.")
        }
        return process
    }
}
