public import PushCore

/// What of the ledger a user sees while the app isn't open.
extension PushAuthenticator {
    /// What the ledger wants of a challenge's notification now: whether it may be there, and with
    /// what text.
    ///
    /// Ask before scheduling a notification, and again after. If the challenge ended in between,
    /// perhaps by another process, the second change removes the notification.
    /// `present(_:on:by:)` does both. Whether the user has seen an open challenge isn't known.
    ///
    /// - Returns: ``NotificationChange/show(_:)`` for a challenge that waits for an answer; its
    ///   button can deny it (`deny(by:_:)`). A shown notification has this installation's seal,
    ///   so that it is recognized where an extension shows it in place of a push.
    ///   ``NotificationChange/unchanged`` if only a message that wasn't understood is known of the
    ///   challenge, or if it is held back and not shown. Else the change that removes its
    ///   notification.
    /// - Throws: `PushError` with the code `storage` or `malformed` if the ledger can't be read,
    ///   `notFound` if the challenge's plugin isn't linked.
    public func notificationChange(
        for id: Challenge.ID, by policy: NotificationPolicy
    ) async throws(PushError) -> NotificationChange {
        switch try await knownChange(for: id, by: policy) {
        case .show(let notification): .show(try await sealed(notification))
        case .replace(let notification): .replace(try await sealed(notification))
        case let change: change
        }
    }

    /// The same without what lets a notification say no.
    private func knownChange(
        for id: Challenge.ID, by policy: NotificationPolicy
    ) async throws(PushError) -> NotificationChange {
        switch try await state(of: id) {
        case .unknown, .decided: .remove(id)
        case .notUnderstood: .unchanged
        case .open(let reception, let state):
            policy.change(for: reception, canAnswer: state.canAnswer)
        case .answered(let outcome): policy.change(for: outcome, of: id)
        case .over(let withdrawal): policy.change(for: withdrawal)
        }
    }

    /// Shows an update on a board, or removes the notification of what ended, if the ledger agrees.
    ///
    /// Pass it every update, or each result of `receive(_:)` as
    /// `AuthenticatorUpdate.received(_:)`, or both. A challenge has one notification, however
    /// often it is announced, and none once it is over, even if it ends while its notification is
    /// being scheduled. Dismissing a notification is no answer: the challenge waits in the app.
    /// Opening a challenge in the app leaves its notification until the answer, unless the app
    /// removes it.
    ///
    /// - Throws: `PushError`: `notificationRefused` if the board refuses it, `storage` or
    ///   `malformed` if the ledger can't be read.
    public func present(
        _ update: AuthenticatorUpdate, on board: some NotificationBoard,
        by policy: NotificationPolicy
    ) async throws(PushError) {
        let wanted = policy.change(for: update)
        guard wanted != .unchanged else { return }
        guard let id = wanted.challenge else { return try await make(wanted, on: board) }
        try await turn(ofNotification: id) { () async throws(PushError) in
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

    /// Makes the board show of a challenge what the ledger says.
    func present(
        _ id: Challenge.ID, on board: some NotificationBoard, by policy: NotificationPolicy
    ) async throws(PushError) {
        try await turn(ofNotification: id) { () async throws(PushError) in
            try await make(try await knownChange(for: id, by: policy), on: board)
        }
    }

    /// Shows what came of a denial by the button, unless it went well: the question again, aloud, if the
    /// challenge still waits, else how it ended. The system has taken the notification away.
    package func present(
        denied id: Challenge.ID, with outcome: Outcome, on board: some NotificationBoard,
        by policy: NotificationPolicy
    ) async throws(PushError) {
        try await turn(ofNotification: id) { () async throws(PushError) in
            let known = try await knownChange(for: id, by: policy)
            guard case .show = known else {
                if let end = policy.denied(id, with: outcome) { try await board.post(end) }
                return
            }
            try await make(known, on: board)
        }
    }

    /// Makes a change.
    private func make(
        _ change: NotificationChange, on board: some NotificationBoard
    ) async throws(PushError) {
        let steps = change.steps(given: try await own(among: await board.posted()))
        if !steps.removed.isEmpty { await board.remove(steps.removed) }
        guard let notification = steps.posted else { return }
        let hasButtons = !notification.category.actions.isEmpty
        try await board.post(hasButtons ? try await sealed(notification) : notification)
    }

    /// Those that this installation shows: what its processes posted, and what its extension put in a
    /// push's place.
    func own(
        among posted: [PostedNotification]
    ) async throws(PushError) -> [PostedNotification] {
        guard posted.contains(where: { $0.isPush && $0.seal != nil }) else {
            return posted.filter { !$0.isPush }
        }
        let seal = try await knownSeal()
        return posted.filter { notification in
            guard notification.isPush else { return true }
            guard let seal, let shown = notification.seal else { return false }
            return seal.matches(shown)
        }
    }

    /// A notification that can be known again when it comes back.
    func sealed(
        _ notification: LocalNotification
    ) async throws(PushError) -> LocalNotification {
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
