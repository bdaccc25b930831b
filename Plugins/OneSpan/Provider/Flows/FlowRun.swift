import PushCore

/// One run of a workflow: an app that carries commands by itself does so for its own runs, and for
/// none of the same kind that others started.
enum FlowRun: Hashable, Sendable {
    case activation(user: String)
    case registration(Enrollment.ID)
    case passwordChange(Enrollment.ID)
    /// What an earlier process left.
    case unanswered(Enrollment.ID)
    /// A remote request, by the command that led to it.
    case request(OrchestrationCommand)
}
