import PushCore

/// What is on record of the users on this device.
struct UserRecords: Sendable {
    let provider: ProviderID

    /// The domain of the users; `nil` for the engine's own.
    let domain: String?

    let accounts: WorkflowAccounts
    let carrier: CommandCarrier
    let clock: any PushClock

    // What else knows a device, and forgets it with its record.
    let driver: FlowDriver
    let pending: PendingRegistrations
    let recovery: Recovery

    /// The enrollments that a command of unknown content may be for.
    let active = ListedEnrollments { $0.mayBeAsked }

    /// The enrollment of a user of this provider's domain, by the exact identifier; `nil` if there
    /// is none. No other enrollment is read.
    func holder(of user: String) async throws(OrchestrationError) -> Enrollment? {
        try await accounts.holder(of: claim(to: user))
    }

    private func claim(to user: String, in domain: String? = nil) -> String {
        let domain = domain ?? self.domain ?? carrier.engine.domain
        return OneSpanCredential.claim(user: user, domain: domain)
    }

    /// A user's enrollment, by the exact identifier.
    ///
    /// - Parameters:
    ///   - user: The user identifier, byte for byte.
    ///   - domain: The user's domain, in any case; `nil` for any domain.
    /// - Returns: The enrollment; `nil` if there is none.
    /// - Throws: ``OrchestrationError``: the store's.
    func enrollment(
        of user: String, in domain: String? = nil
    ) async throws(OrchestrationError) -> Enrollment? {
        if let found = try await accounts.holder(of: claim(to: user, in: domain)) { return found }
        // One of another domain than this provider's has another claim.
        for enrollment in try await accounts.enrollments() {
            guard let kept = try await kept(of: enrollment.id) else { continue }
            guard kept.user.utf8.elementsEqual(user.utf8) else { continue }
            // An engine that tells no domain has one alone.
            if let domain, let own = kept.domain ?? self.domain,
                !own.lowercased().utf8.elementsEqual(domain.lowercased().utf8)
            {
                continue
            }
            return enrollment
        }
        return nil
    }

    /// What is on record of a user; `nil` if there is no such enrollment.
    func kept(of id: Enrollment.ID) async throws(OrchestrationError) -> OneSpanCredential? {
        try await accounts.account(id)?.credential()
    }

    /// Refuses to activate a user who is on this device already, or is being activated.
    func checkIsNew(_ user: String) async throws(OrchestrationError) {
        switch try await holder(of: user)?.state {
        case nil: break
        case .pending(.unconfirmed): throw OrchestrationError(.workflowInProgress)
        case .needsReenrollment: throw OrchestrationError(.authenticator(-1300))
        case .active, .pending, .blocked, .movedAway:
            throw OrchestrationError(OneSpanError.alreadyActivated)
        }
    }

    /// Keeps what an activation made; the engine may have its half on record already.
    func keep(
        _ deviceID: String, of user: String, in domain: String?
    ) async throws(OrchestrationError) -> WorkflowAccount {
        let kept = await Result(workflow: { () async throws(OrchestrationError) in
            try await record(deviceID, user, domain)
        })
        await active.forget()
        return try kept.get()
    }

    private func record(
        _ deviceID: String, _ user: String, _ domain: String?
    ) async throws(OrchestrationError) -> WorkflowAccount {
        let id = Enrollment.ID(deviceID, of: provider)
        if let account = try await accounts.account(id) {
            try await account.change { (_: inout OneSpanCredential, enrollment) in
                guard enrollment.state == .pending(.unconfirmed) else { return }
                enrollment.state = .pending(.deviceToken)
            }
            return account
        }
        let made = Enrollment(
            id: id, issuer: domain ?? self.domain, account: user,
            host: carrier.relay?.endpoint?.host, port: carrier.relay?.endpoint?.port ?? 443,
            state: .pending(.deviceToken), created: clock.now)
        return try await accounts.create(
            made, OneSpanCredential(user: user, domain: domain), claiming: claim(to: user))
    }

    /// Erases what an activation left that came to nothing.
    func eraseUnconfirmed(_ user: String) async throws(OrchestrationError) {
        guard let found = try await holder(of: user), found.state == .pending(.unconfirmed)
        else { return }
        try await erase(found.id)
    }

    /// Erases an enrollment, damaged or not.
    func erase(_ enrollment: Enrollment.ID) async throws(OrchestrationError) {
        do throws(OrchestrationError) {
            try await carrier.engine.forget(enrollment.name)
        } catch {
            guard error.code != .storage else { throw error }
        }
        await forget(enrollment)
        try await accounts.delete(enrollment)
        await active.forget()
    }

    private func forget(_ enrollment: Enrollment.ID) async {
        await driver.forget(enrollment)
        await pending.forget(enrollment)
        await recovery.forget(enrollment.name)
    }

    /// The server said, authenticated, that it removed the device.
    func noteRemoval(of account: WorkflowAccount) async throws(OrchestrationError) {
        await forget(account.id)
        do throws(OrchestrationError) {
            try await account.change { (kept: inout OneSpanCredential, enrollment) in
                kept.isDeactivated = true
                kept.identifier = nil
                kept.isIdentifierConfirmed = false
                enrollment.state = .needsReenrollment
            }
            await active.forget()
        } catch {
            guard error.code == .unknownEnrollment else { throw error }
        }
    }
}

extension Enrollment {
    /// Whether the server may have sent it something.
    fileprivate var mayBeAsked: Bool {
        switch state {
        case .active, .pending(.deviceToken): true
        case .pending, .blocked, .needsReenrollment, .movedAway: false
        }
    }
}
