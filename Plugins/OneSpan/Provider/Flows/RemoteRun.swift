import PushCore

/// One remote request on its way through its table.
struct RemoteRun: Sendable {
    let kind: WorkflowKind
    private(set) var state: RemoteFlow.State

    init(_ kind: WorkflowKind, at state: RemoteFlow.State = .idle) {
        self.kind = kind
        self.state = state
    }

    /// Takes an event.
    ///
    /// - Returns: What to do.
    /// - Throws: `PushError` if the table doesn't list the event in this state, or if what it says
    ///   can only be told as an error; the state is the table's all the same.
    @discardableResult
    mutating func take(_ event: RemoteFlow.Event) throws(PushError) -> [RemoteFlow.Effect] {
        let transition = RemoteFlow.next(state, event, of: kind)
        state = transition.state
        for effect in transition.effects {
            switch effect {
            case .complain(let complaint): throw OneSpanError.command(complaint.problem).error
            case .tellMalformed: throw OneSpanError.command(.commandMalformed).error
            default: break
            }
        }
        return transition.effects
    }
}

extension RemoteFlow.Event {
    /// What a fetched request is for the table.
    init(_ request: DisplayRequest) {
        self =
            switch (request.content, request.problem) {
            case (.none, nil), (.none, .missing): .challengeWithoutData
            case (_, nil): .challenge
            default: .undecodableChallenge
            }
    }
}
