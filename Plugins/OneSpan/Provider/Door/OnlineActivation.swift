public import PushCore

/// What an online activation needs (OneSpan, "Exposed APIs: activation").
public struct OnlineActivationParameters: Sendable {
    /// The user identifier.
    let userIdentifier: String

    /// The activation password, as the user typed or scanned it.
    let activationPassword: Secret

    let delegate: any OnlineActivationDelegate

    /// Creates the parameters.
    ///
    /// - Parameters:
    ///   - userIdentifier: The user identifier.
    ///   - activationPassword: The activation password, as the user typed or scanned it.
    ///   - delegate: What carries the commands, and hears what came of them.
    public init(
        userIdentifier: String, activationPassword: Secret,
        delegate: any OnlineActivationDelegate
    ) {
        self.userIdentifier = userIdentifier
        self.activationPassword = activationPassword
        self.delegate = delegate
    }
}

/// What an online activation tells its app (OneSpan, "Exposed APIs: activation").
public protocol OnlineActivationDelegate: AnyObject, Sendable {
    /// A command must go to the server; four times. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    func onActivationStepComplete(_ command: OrchestrationCommand) async

    /// The device is activated. A notification registration must follow.
    func onActivationSuccess() async

    /// An input isn't usable; nothing was sent.
    func onActivationInputError(_ error: ActivationInputProblem) async

    /// The activation was given up.
    func onActivationAborted() async
}

extension OneSpanOrchestrator {
    /// Activates a user on this device: four round trips.
    ///
    /// It returns when the activation is over; what came of it is told to the delegates. The user
    /// chooses a password through the environment's verifier, such as ``OneSpanUserVerifier``.
    ///
    /// - Throws: `PushError`: `conflict` (``OneSpanError/workflowInProgress``) if another workflow runs
    ///   with the user; nothing is started then.
    public func startActivation(
        _ parameters: OnlineActivationParameters
    ) async throws(PushError) {
        let delegate = parameters.delegate
        let outlet = CommandCarrier.Outlet { (command, _) throws(PushError) in
            await delegate.onActivationStepComplete(command)
        }
        try await runAlone(.activation(user: parameters.userIdentifier), outlet) {
            await activate(parameters)
        }
    }

    private func activate(_ parameters: OnlineActivationParameters) async {
        let delegate = parameters.delegate
        do throws(OrchestrationError) {
            try provider.userEnroller.check(
                parameters.userIdentifier, parameters.activationPassword)
            let invitation = Invitation.credentials(
                user: parameters.userIdentifier, password: parameters.activationPassword)
            let offer = try await outside { () async throws(PushError) in
                try authenticator.offers(for: invitation).first { $0.provider == provider.id }
            }
            guard let offer else {
                throw OrchestrationError(.notFound, "The authenticator doesn't have this provider.")
            }
            let enrollment = try await explained(in: .activation(user: parameters.userIdentifier)) {
                [authenticator] () async throws(PushError) in
                try await authenticator.enroll(offer)
            }
            guard enrollment.state != .pending(.unconfirmed) else {
                throw OrchestrationError(.noReply)
            }
            await delegate.onActivationSuccess()
        } catch {
            switch (error.code, error.oneSpan) {
            case (_, .input(let problem)): await delegate.onActivationInputError(problem)
            case (.cancelled, _): await delegate.onActivationAborted()
            default: await report(error)
            }
        }
    }
}
