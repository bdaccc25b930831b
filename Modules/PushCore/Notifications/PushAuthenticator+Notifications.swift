/// What of the ledger a user sees while the app isn't open.
extension PushAuthenticator {
    /// What the ledger says of a challenge's notification now: whether it may be there, and with what
    /// text.
    ///
    /// Ask before a notification is scheduled and after: whatever ended the challenge in between,
    /// another process included, takes it back. ``present(_:on:by:)`` does so. Of an open challenge
    /// it doesn't say whether the user has seen it.
    ///
    /// - Returns: ``NotificationChange/show(_:)`` for one that waits for an answer,
    ///   ``NotificationChange/unchanged`` for one of which only a message that wasn't understood is
    ///   known, else what takes its notification away.
    public func notificationChange(
        for id: Challenge.ID, by policy: NotificationPolicy
    ) async throws(PushError) -> NotificationChange {
        guard let row = try await ledger.row(id) else { return .remove(id) }
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
            let validity = await validity(of: notice, at: enrollment.server)
            if validity == .expired, try !takesLateAnswers(id) {
                return policy.change(for: Withdrawal(id, .expired))
            }
            return policy.question(notice, validity, canAnswer: enrollment.state.canAnswer)
        }
    }

    /// Shows an update on a board, or takes away what it ended, as far as the ledger agrees.
    ///
    /// Hand it every update, or what ``receive(_:)`` returns as ``Update/received(_:)``, or both. A
    /// challenge has one notification, however often it is announced, and none once it is over, even
    /// if it ends while its notification is being scheduled. Dismissing a notification is no answer:
    /// the challenge waits in the app. One that the user opens in the app keeps its notification
    /// until the answer, unless the app removes it.
    ///
    /// - Throws: ``PushError``: `notificationRefused` if the board doesn't take it, `storage` or
    ///   `malformed` if the ledger can't be read.
    public func present(
        _ update: Update, on board: some NotificationBoard, by policy: NotificationPolicy
    ) async throws(PushError) {
        let wanted = policy.change(for: update)
        guard wanted != .unchanged else { return }
        guard let id = wanted.challenge else { return try await wanted.make(on: board) }
        try await turn(.notification(id)) { () async throws(PushError) in
            let change: NotificationChange
            if case .received(let reception) = update {
                change = policy.change(for: reception, canAnswer: try await canAnswer(id))
            } else {
                change = wanted
            }
            let corrected = change.corrected(by: try await notificationChange(for: id, by: policy))
            try await corrected.make(on: board)
            guard case .show = corrected else { return }
            let after = corrected.corrected(by: try await notificationChange(for: id, by: policy))
            if after != corrected { try await after.make(on: board) }
        }
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
        case .blocked, .needsReenrollment: false
        }
    }
}

extension NotificationChange {
    /// Makes the change.
    fileprivate func make(on board: some NotificationBoard) async throws(PushError) {
        let steps = steps(given: await board.posted())
        if !steps.removed.isEmpty { await board.remove(steps.removed) }
        if let notification = steps.posted { try await board.post(notification) }
    }
}
