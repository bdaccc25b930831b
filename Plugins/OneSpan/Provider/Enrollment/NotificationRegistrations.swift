import PushCore

/// Notification registration: one round trip, and the end of an activation on the server's side.
struct NotificationRegistrations: Sendable {
    /// How long an identifier is waited for.
    private static let identifierPatience = Duration.seconds(60)

    let identifiers: any NotificationIdentifierProvider
    let users: UserRecords
    let workflows: ResumableWorkflows
    let pending: PendingRegistrations
    let clock: any PushClock

    /// The notification identifier of a device token. The wait for it ends, as an enrollment's
    /// turn may wait, too.
    ///
    /// - Throws: `PushError`: `unreachable` if there is none in time, or what the app's provider
    ///   throws.
    func identifier(
        for deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier {
        let (results, continuation) = AsyncStream.makeStream(
            of: Result<NotificationIdentifier, PushError>.self,
            bufferingPolicy: .bufferingOldest(1))
        let asking = Task { [identifiers] in
            continuation.yield(
                await Result { () async throws(PushError) in
                    try await identifiers.identifier(for: deviceToken)
                })
            continuation.finish()
        }
        let deadline = Task { [clock] in
            await clock.sleep(for: Self.identifierPatience)
            continuation.finish()
        }
        defer {
            asking.cancel()
            deadline.cancel()
        }
        for await result in results { return try result.get() }
        guard !Task.isCancelled else {
            throw PushError(.cancelled, "The app gave up.")
        }
        throw PushError(
            .unreachable, "The notification identifier didn't come in time.")
    }

    /// Registers an identifier, unless the server certainly holds it.
    ///
    /// The caller holds the enrollment's turn.
    ///
    /// - Returns: Whether anything was sent.
    @discardableResult
    func register(
        _ identifier: NotificationIdentifier, for account: WorkflowAccount
    ) async throws(OrchestrationError) -> Bool {
        let account = try await workflows.settled(account)
        let kept: OneSpanCredential = try account.credential()
        switch account.enrollment.state {
        case .active where kept.isIdentifierConfirmed && kept.identifier == identifier.text:
            return false
        case .active, .pending(.deviceToken): break
        case .needsReenrollment: throw OrchestrationError(.authenticator(-1300))
        case .pending, .blocked, .movedAway: throw OrchestrationError(.notActivated)
        }
        // Before the command leaves: if its reply is lost, nobody knows what the server holds.
        try await mark(identifier, at: account, isConfirmed: false)
        let step: OrchestrationStep
        do throws(OrchestrationError) {
            step = try await pending.register(identifier, for: account.id)
        } catch {
            if error.saysRemoved { try await users.noteRemoval(of: account) }
            throw error
        }
        switch step {
        case .finished(.registered, _):
            try await mark(identifier, at: account, isConfirmed: true)
        case .serverError(let error, _):
            if OneSpanError(error).isRemoval { try await users.noteRemoval(of: account) }
            throw OrchestrationError(error)
        default: throw OrchestrationError(OneSpanError.invalidState)
        }
        return true
    }

    private func mark(
        _ identifier: NotificationIdentifier, at account: WorkflowAccount, isConfirmed: Bool
    ) async throws(OrchestrationError) {
        try await account.change { (kept: inout OneSpanCredential, enrollment) in
            if isConfirmed {
                // Meanwhile another process may have sent another one.
                guard kept.identifier == identifier.text else { return }
                enrollment.state = .active
            } else {
                kept.identifier = identifier.text
            }
            kept.isIdentifierConfirmed = isConfirmed
        }
    }
}
