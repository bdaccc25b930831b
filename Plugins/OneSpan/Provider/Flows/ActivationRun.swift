import PushCore

/// One activation on its way through its table.
struct ActivationRun: Sendable {
    private(set) var state: ActivationFlow.State

    /// Takes an event.
    ///
    /// - Throws: `PushError` if the table says no; the state is the table's all the same.
    mutating func take(_ event: ActivationFlow.Event) throws(PushError) {
        let transition = ActivationFlow.next(state, event)
        state = transition.state
        for effect in transition.effects {
            switch effect {
            case .tellAlreadyActivated: throw OneSpanError.command(.alreadyActivated).error
            case .tellInProgress: throw OneSpanError.workflowInProgress.error
            case .tellRemoved: throw OneSpanError.authenticator(-1300).error
            case .tellReplayed: throw OneSpanError.command(.commandReplayed).error
            case .complain(let complaint): throw OneSpanError.command(complaint.problem).error
            default: break
            }
        }
    }
}

extension ActivationFlow.State {
    /// Where a user stands by the enrollment's record.
    init(_ enrollment: Enrollment) {
        self =
            switch enrollment.state {
            case .pending(.unconfirmed): .awaiting4
            case .pending: .activePendingNotification
            case .needsReenrollment: .deactivated
            default: .active
            }
    }
}
