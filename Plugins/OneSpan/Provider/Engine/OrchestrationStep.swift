public import PushCore

/// What an engine wants next.
@nonexhaustive
public enum OrchestrationStep: Sendable {
    /// The command must go to the server, and its reply to ``OrchestrationEngine/consume(_:)``:
    /// `on…StepComplete`. A lost reply is asked for with the same bytes.
    case send(OrchestrationCommand, FlowID, WorkflowKind)
    /// The user must see this and decide: `on…DisplayData`.
    case display(DisplayRequest, FlowID, WorkflowKind)
    /// The user must prove themselves, or choose a password: `onUserAuthenticationRequired`.
    case authenticate(UserAuthenticationRequest, FlowID)
    /// An input wasn't taken: `on…InputError`, `on…PasswordError`.
    case inputRejected(InputProblem, FlowID)
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
    public var flow: FlowID? {
        switch self {
        case .send(_, let flow, _), .display(_, let flow, _), .authenticate(_, let flow),
            .inputRejected(_, let flow), .finished(_, let flow), .outdated(_, let flow),
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

/// Asks for the user, as `onUserAuthenticationRequired` does in OneSpan's SDK.
public struct UserAuthenticationRequest: Hashable, Sendable {
    /// Which password, or none.
    public enum Purpose: Hashable, Sendable {
        /// The user proves themselves.
        case verification
        /// The user chooses a password; `isEnrollment` in OneSpan's SDK.
        case enrollment
    }

    /// How the user proves themselves; never ``AuthenticationMethod/none``.
    public let method: AuthenticationMethod

    /// Which password it is.
    public let purpose: Purpose

    /// Creates a request.
    public init(_ method: AuthenticationMethod, _ purpose: Purpose) {
        self.method = method
        self.purpose = purpose
    }
}

/// How the server wants an answer authenticated (OneSpan, "Authentication methods").
public enum AuthenticationMethod: UInt8, Hashable, Sendable {
    /// No user authentication: the user's decision is enough.
    case none = 0
    /// The password that the user chose at activation.
    case password = 1
    /// A biometric check. The password may stand in for it.
    case biometric = 2
}

/// What the user did, for a workflow that waits for it.
@nonexhaustive
public enum WorkflowInput: Sendable {
    /// The user approved or rejected what was displayed.
    case decision(approved: Bool)
    /// The password that ``OrchestrationStep/authenticate(_:_:)`` asked for.
    case secret(Secret)
    /// The biometric check passed.
    case biometricSucceeded
    /// There is no biometric check now: the password stands in for it.
    case biometricUnavailable
    /// The user gave up.
    case userCancelled
}

/// How a workflow ended well.
@nonexhaustive
public enum WorkflowOutcome: Sendable {
    /// The device is activated; a notification registration must follow.
    case activated(ActivatedDevice)
    /// The server holds this notification identifier.
    case registered(deviceID: String, identifier: String)
    /// The server took the user's answer into account. A rejection ends here, too. The token is
    /// what the back end may issue with a remote authentication (Orchestration SDK 5.13.2).
    case answered(accepted: Bool, authToken: Secret?)
    /// The password is changed.
    case passwordChanged(deviceID: String)
}

/// Why a request is no longer pending: OneSpan's `SessionOutdatedReason`.
///
/// It is the server's own word, so the error of a request that was fetched too late closes the
/// challenge.
public enum SessionOutdatedReason: Hashable, Sendable {
    /// Its time is over.
    case expired
    /// It was accepted, by another device or an earlier answer.
    case accepted
    /// It was refused, by another device or an earlier answer.
    case refused
    /// The server doesn't say.
    case unknown

    /// The same in the core's terms.
    public var reason: Withdrawal.Reason {
        switch self {
        case .expired: .expired
        case .accepted, .refused: .elsewhere
        case .unknown: .unknown
        }
    }
}
