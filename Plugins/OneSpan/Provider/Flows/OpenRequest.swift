import PushCore

/// A request that the engine has a flow for.
struct OpenRequest: Sendable {
    /// How far it is.
    enum Stage: Hashable, Sendable {
        /// The user sees it, and decides.
        case deciding
        /// The user has approved, and proves themselves.
        case authenticating
        /// The answer is made, or on its way.
        case answering(approved: Bool)
    }

    let id: Challenge.ID
    let kind: WorkflowKind

    /// Its flow in the engine; another one after the server refused a counter.
    var flow: FlowID

    /// What the user sees; `nil` if another process fetched it.
    var request: DisplayRequest?
    var stage = Stage.deciding

    /// Whether an approval can go on from here.
    var awaitsUser: Bool {
        if case .answering = stage { false } else { true }
    }
}

/// What a fetch brought.
enum Fetched: Sendable {
    case open(kind: WorkflowKind, flow: FlowID, DisplayRequest)
    case outdated(SessionOutdatedReason)
}
