/// What of the ledger a user sees while the app isn't open.
extension PushAuthenticator {
    /// What the ledger says of a challenge's notification now: whether it may be there, and with what
    /// text.
    ///
    /// Ask before a notification is scheduled, and again after. If the challenge ended in between,
    /// perhaps by another process, the second change takes the notification back.
    /// ``present(_:on:by:)`` does so. It doesn't say whether the user has seen an open challenge.
    ///
    /// - Returns: ``NotificationChange/show(_:)`` for a challenge that waits for an answer; its
    ///   button can deny it (``deny(by:_:)``). ``NotificationChange/unchanged`` if nothing is known
    ///   of it but a message that wasn't understood. Else the change that takes its notification
    ///   away.
    /// - Throws: ``PushError`` with the code `storage` or `malformed` if the ledger can't be read,
    ///   `notFound` if no linked plugin has the challenge.
    public func notificationChange(
        for id: Challenge.ID, by policy: NotificationPolicy
    ) async throws(PushError) -> NotificationChange {
        let known = try await knownChange(for: id, by: policy)
        guard case .show(let notification) = known else { return known }
        return .show(try await sealed(notification))
    }

    /// The same without what lets a notification say no.
    private func knownChange(
        for id: Challenge.ID, by policy: NotificationPolicy
    ) async throws(PushError) -> NotificationChange {
        guard let row = try await core.ledger.row(id) else { return .remove(id) }
        switch row.state {
        case .over(let withdrawal):
            return policy.change(for: withdrawal)
        case .decided:
            return .remove(id)
        case .answered(_, let outcome):
            return policy.change(for: outcome, of: id)
        case .open:
            guard let notice = row.announcement?.notice else { return .unchanged }
            guard let enrollment = try await enrollment(id.enrollment) else { return .remove(id) }
            let validity = await core.validity(of: notice, at: enrollment.server)
            if validity == .expired, try !core.takesLateAnswers(id) {
                return policy.change(for: Withdrawal(id, .expired))
            }
            return policy.question(notice, validity, canAnswer: enrollment.state.canAnswer)
        }
    }

    /// Shows an update on a board, or takes away what it ended, as far as the ledger agrees.
    ///
    /// Hand it every update, or what ``receive(_:)`` returns as ``AuthenticatorUpdate/received(_:)``, or both. A
    /// challenge has one notification, however often it is announced, and none once it is over, even
    /// if it ends while its notification is being scheduled. Dismissing a notification is no answer:
    /// the challenge waits in the app. One that the user opens in the app keeps its notification
    /// until the answer, unless the app removes it.
    ///
    /// - Throws: ``PushError``: `notificationRefused` if the board doesn't take it, `storage` or
    ///   `malformed` if the ledger can't be read.
    public func present(
        _ update: AuthenticatorUpdate, on board: some NotificationBoard,
        by policy: NotificationPolicy
    ) async throws(PushError) {
        let wanted = policy.change(for: update)
        guard wanted != .unchanged else { return }
        guard let id = wanted.challenge else { return try await make(wanted, on: board) }
        try await core.turns.turn(.notification(id)) { () async throws(PushError) in
            let change: NotificationChange
            if case .received(let reception) = update {
                change = policy.change(for: reception, canAnswer: try await canAnswer(id))
            } else {
                change = wanted
            }
            let corrected = change.corrected(by: try await knownChange(for: id, by: policy))
            try await make(corrected, on: board)
            guard case .show = corrected else { return }
            let after = corrected.corrected(by: try await knownChange(for: id, by: policy))
            if after != corrected { try await make(after, on: board) }
        }
    }

    /// Makes a change.
    private func make(
        _ change: NotificationChange, on board: some NotificationBoard
    ) async throws(PushError) {
        let steps = change.steps(given: await board.posted())
        if !steps.removed.isEmpty { await board.remove(steps.removed) }
        if let notification = steps.posted { try await board.post(try await sealed(notification)) }
    }

    /// A notification that can be known again when its button comes back, if it has any.
    private func sealed(
        _ notification: LocalNotification
    ) async throws(PushError) -> LocalNotification {
        guard !notification.category.actions.isEmpty else { return notification }
        var notification = notification
        notification.seal = try await seal()
        return notification
    }

    private func canAnswer(_ id: Challenge.ID) async throws(PushError) -> Bool {
        try await enrollment(id.enrollment)?.state.canAnswer ?? true
    }
}

extension Enrollment.State {
    /// Whether its challenges can be answered; the vendor may think otherwise.
    fileprivate var canAnswer: Bool {
        switch self {
        case .active, .pending: true
        case .blocked, .needsReenrollment, .movedAway: false
        }
    }
}
