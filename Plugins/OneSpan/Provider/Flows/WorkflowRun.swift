import PushCore

/// One run of a workflow. An app that carries commands itself carries those of its own runs, and not
/// those of runs that others started.
enum WorkflowRun: Hashable, Sendable {
    case activation(user: String)
    case registration(Enrollment.ID)
    case passwordChange(Enrollment.ID)
    /// What an earlier process left.
    case unanswered(Enrollment.ID)
    /// A remote request, by the command that led to it.
    case request(OrchestrationCommand)
}

/// News of a run that the core can't pass on, for the door that started it.
enum WorkflowWord: Sendable {
    /// An answer leaves.
    case sent
    case answered(RemoteAuthenticationResult)
    case outdated(SessionOutdatedReason)
    /// The server refused an answer.
    case refused(ServerError)
    /// It came to an end, or can't go on now.
    case failed(OrchestrationError)
}

extension WorkflowWord {
    /// The server's word on an answer, if a step is one.
    init?(_ step: OrchestrationStep) {
        switch step {
        case .finished(.answered(let accepted, let token), _):
            self = .answered(RemoteAuthenticationResult(isAccepted: accepted, authToken: token))
        case .outdated(let reason, _): self = .outdated(reason)
        case .serverError(let error, _): self = .refused(error)
        default: return nil
        }
    }
}
