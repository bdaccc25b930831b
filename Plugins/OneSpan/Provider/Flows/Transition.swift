/// What a table says of one event: the state after it, and what to do, in this order.
struct Transition<State: Hashable & Sendable, Effect: Hashable & Sendable>: Hashable, Sendable {
    let state: State
    let effects: [Effect]

    init(_ state: State, _ effects: [Effect] = []) {
        self.state = state
        self.effects = effects
    }
}

/// What a table has against an event that it doesn't list; the state is as before.
enum FlowComplaint: Hashable, Sendable {
    /// A command that nothing waits for.
    case unexpectedCommand
    /// An input that doesn't fit.
    case invalidState

    /// The engine's word for the same.
    var problem: OrchestrationProblem {
        switch self {
        case .unexpectedCommand: .unexpectedCommand
        case .invalidState: .invalidState
        }
    }
}
