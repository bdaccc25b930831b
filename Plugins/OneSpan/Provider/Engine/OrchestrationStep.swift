public import PushCore

/// What an engine wants next.
@nonexhaustive
public enum OrchestrationStep: Sendable {
    /// The command must go to the server, and its reply to ``OrchestrationEngine/consume(_:)``:
    /// `on…StepComplete`. A lost reply is asked for with the same bytes.
    ///
    /// The kind is that of the request, which the server began; `nil` in a workflow that this device
    /// began.
    case send(OrchestrationCommand, FlowID, RequestKind? = nil)
    /// The user must see this and decide: `on…DisplayData`.
    case display(OneSpanRequest, FlowID)
    /// The user must prove themselves, or choose a password: `onUserAuthenticationRequired`. The
    /// method is never ``AuthenticationMethod/none``.
    case authenticate(AuthenticationMethod, FlowID, isEnrollment: Bool = false)
    /// An input wasn't taken: `on…InputError`, `on…PasswordError`. Either the flow waits for another
    /// try, or it is over.
    case inputRejected(InputProblem, FlowID, mayRetry: Bool)
    /// The workflow is over, and well: `on…Success`.
    case finished(WorkflowOutcome, FlowID)
    /// The request is no longer pending, and the flow is over: `on…SessionOutdated`.
    case outdated(SessionOutdatedReason, FlowID)
    /// The user gave up, and the flow is over; nothing was sent: `on…Aborted`.
    case aborted(FlowID)
    /// The server refused a command: `onOrchestrationServerError`. One that isn't authenticated
    /// leaves the flow as it was: it still waits for the reply. Otherwise the flow is over.
    case serverError(ServerError, FlowID?)

    /// The flow it belongs to; `nil` if it belongs to none.
    package var flow: FlowID? {
        switch self {
        case .send(_, let flow, _), .display(_, let flow), .authenticate(_, let flow, _),
            .inputRejected(_, let flow, _), .finished(_, let flow), .outdated(_, let flow),
            .aborted(let flow):
            flow
        case .serverError(_, let flow): flow
        }
    }
}

/// Names one run of a workflow inside its engine.
public struct FlowID: Hashable, Sendable {
    /// The engine's name for it, such as hexadecimal digits.
    public let value: String

    /// Creates a name.
    public init(_ value: String) {
        self.value = value
    }
}

/// What the user did, for a workflow that waits for it.
@nonexhaustive
public enum WorkflowInput: Sendable {
    /// The user approved or rejected what was displayed.
    case decision(approved: Bool)
    /// The password that ``OrchestrationStep/authenticate(_:_:isEnrollment:)`` asked for.
    case secret(Secret)
    /// The biometric check passed.
    case biometricSucceeded
    /// There is no biometric check now: the password stands in for it.
    case biometricUnavailable
}

/// What is wrong with an input.
public enum InputProblem: Hashable, Sendable {
    /// A password is empty, or shorter than the engine allows.
    case weakPassword
    /// The new password is the old one.
    case samePassword
    /// The server says that the answer was wrong: the wrong password, most likely. Only the server
    /// can tell.
    ///
    /// The attempts are how often the user may try before the server locks them or ends the session;
    /// `nil` if unknown.
    case wrongResponse(attemptsLeft: Int?)

    /// How often the user may try before the server locks them; `nil` if unknown.
    var attemptsLeft: Int? {
        if case .wrongResponse(let attempts) = self { attempts } else { nil }
    }
}

/// How a workflow ended well.
@nonexhaustive
public enum WorkflowOutcome: Sendable {
    /// The device is activated; a notification registration must follow.
    ///
    /// The device's identifier is the engine's name for this device and user, such as 32 lower-case
    /// hexadecimal digits: one for each user on the device, and never another. It becomes the name of
    /// the enrollment. The domain is `nil` if the engine doesn't tell.
    case activated(deviceID: String, user: String, domain: String? = nil)
    /// The server holds this notification identifier.
    case registered(deviceID: String, identifier: String)
    /// The server took the user's answer into account. A rejection ends here, too. The token is
    /// what the back end may issue with a remote authentication (Orchestration SDK 5.13.2).
    case answered(accepted: Bool, authToken: Secret?)
    /// The password is changed.
    case passwordChanged(deviceID: String)
}
