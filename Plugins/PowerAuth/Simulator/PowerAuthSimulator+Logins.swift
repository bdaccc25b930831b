public import PushCore
public import PushTesting

extension PowerAuthSimulator {
    /// Invites a device: the text of a signed activation code.
    ///
    /// It's an activation made with the options that the configuration says, so by default a
    /// ``commit(_:password:)`` has to follow.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no application.
    public func invitation(for user: String) throws(PushError) -> Invitation {
        .scanned(text: try createActivation(for: user, configuration.invitation).text)
    }

    /// Starts a login of a user: an operation that needs two factors.
    ///
    /// `confirm` takes those that the template says, by default PIN or biometry beside the
    /// device; `biometry` takes biometry only.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has no active activation, or
    ///   `unsupported` for a number, which no operation asks for.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) throws(PushError) -> SimulatedLogin {
        try startLogin(of: user, asking: kind, spoiledBy: nil)
    }

    /// Starts a login whose pushes are bad, while the operation itself is genuine.
    ///
    /// - Throws: `PushError` as ``startLogin(of:asking:)`` does.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) throws(PushError) -> SimulatedLogin {
        var template = configuration.login
        template.lifetime = configuration.loginLifetime
        switch kind {
        case .confirm: break
        case .biometry: template.approval = .twoFactors([.possessionBiometry])
        default: throw PushError(.unsupported, "No operation asks for a number.")
        }
        sweep()
        guard activations.values.contains(where: { $0.user == user && $0.state == .active }) else {
            throw PushError(.notFound, "The user has no active activation.")
        }
        let operation = try createOperation(for: user, template, spoiledBy: fault)
        return SimulatedLogin(id: operation.id)
    }

    /// Where a login stands. One that the back office cancelled has failed.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        switch try operation(login).status {
        case .pending: .waiting
        case .approved: .approved
        case .rejected: .denied
        case .expired: .expired
        case .canceled, .failed: .failed
        }
    }
}
