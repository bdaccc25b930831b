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
