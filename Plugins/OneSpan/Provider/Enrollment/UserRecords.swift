import PushCore

/// What is on record of the users on this device.
extension OneSpan {
    /// The enrollment of a user of this provider's domain, by the exact identifier; `nil` if there
    /// is none. No other enrollment is read.
    func holder(of user: String) async throws(OrchestrationError) -> Enrollment? {
        try await vault.holder(of: claim(to: user))
    }

    private func claim(to user: String, in domain: String? = nil) -> String {
        let domain = domain ?? configuration.domain ?? carrier.engine.domain
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
        if let found = try await vault.holder(of: claim(to: user, in: domain)) { return found }
        // One of another domain than this provider's has another claim.
        for enrollment in try await vault.enrollments() {
            guard let kept = try await vault.secret(of: enrollment.id) else { continue }
            guard kept.user.utf8.elementsEqual(user.utf8) else { continue }
            // An engine that tells no domain has one alone.
            if let domain, let own = kept.domain ?? configuration.domain,
                !own.lowercased().utf8.elementsEqual(domain.lowercased().utf8)
            {
                continue
            }
            return enrollment
        }
        return nil
    }

    /// Refuses to activate a user who is on this device already, or is being activated.
    func checkIsNew(_ user: String) async throws(OrchestrationError) {
        switch try await holder(of: user)?.state {
        case nil: break
        case .pending(.unconfirmed): throw OrchestrationError(.workflowInProgress)
        case .needsReenrollment: throw OrchestrationError(.authenticator(-1300))
        default: throw OrchestrationError(OneSpanError.alreadyActivated)
        }
    }

    /// Keeps what an activation made; the engine may have its half on record already.
    func keep(
        _ deviceID: String, of user: String, in domain: String?
    ) async throws(OrchestrationError) -> Enrollment {
        let kept = await Result(workflow: { () async throws(OrchestrationError) in
            try await record(deviceID, user, domain)
        })
        await active.forget()
        return try kept.get()
    }

    private func record(
        _ deviceID: String, _ user: String, _ domain: String?
    ) async throws(OrchestrationError) -> Enrollment {
        let enrollment = Enrollment.ID(deviceID, of: id)
        if try await vault.credential(enrollment) != nil {
            return try await vault.update(enrollment) { (_, enrollment) in
                if enrollment.state == .pending(.unconfirmed) {
                    enrollment.state = .pending(.deviceToken)
                }
                return enrollment
            }
        }
        let made = Enrollment(
            id: enrollment, issuer: domain ?? configuration.domain, account: user,
            host: carrier.relay?.endpoint?.host, port: carrier.relay?.endpoint?.port ?? 443,
            state: .pending(.deviceToken), created: environment.clock.now)
        let kept = OneSpanCredential(user: user, domain: domain)
        try await vault.create(
            Credential(made, secret: kept.sealed), claiming: claim(to: user))
        return made
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
        try await vault.delete(enrollment)
        await active.forget()
    }

    private func forget(_ enrollment: Enrollment.ID) async {
        await driver.forget(enrollment)
        await registrations.forget(enrollment)
        await recovery.forget(enrollment.name)
    }

    /// The server said, authenticated, that it removed the device.
    func noteRemoval(of enrollment: Enrollment.ID) async throws(OrchestrationError) {
        await forget(enrollment)
        do throws(OrchestrationError) {
            try await vault.update(enrollment) { (kept, enrollment) in
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

    /// Hands over a password that the user chose or entered; a flow that can't take it is over.
    func provide(
        _ password: Secret, to flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        do throws(OrchestrationError) {
            return try await carrier.engine.provide(.secret(password), to: flow)
        } catch {
            _ = await carrier.engine.cancel(flow)
            throw error
        }
    }

    /// Asks the user midway; a flow that the user gives up is over.
    func ask(
        _ request: VerificationRequest, in flow: FlowID
    ) async throws(OrchestrationError) -> [Evidence] {
        do throws(OrchestrationError) {
            return try await outside { () async throws(PushError) in
                try await environment.verifier.verify(request)
            }
        } catch {
            _ = await carrier.engine.cancel(flow)
            throw error
        }
    }
}
