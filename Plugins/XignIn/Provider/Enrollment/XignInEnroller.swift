import PushCore

struct XignInEnroller: Enroller {
    let provider: XignIn

    private var environment: Environment { provider.environment }
    private var vault: Vault { provider.vault }

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard let link = Self.link(in: invitation),
            let invited = try invited(by: link)
        else { return nil }
        var asks: [[Factor]] = [[.newPIN]]
        if provider.configuration.biometricKeys != nil {
            asks.insert([.newPIN, .newBiometry], at: 0)
        }
        return Offer(
            provider: provider.id, invitation: invitation, issuer: invited.idmIdentifier,
            host: invited.host, asks: asks)
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let link = Self.link(in: offer.invitation), let invited = try invited(by: link) else {
            throw error(.invalidInvitation, "Not a link of this vendor.")
        }
        let id = provider.access.enrollment(at: invited.idmIdentifier)
        // A link of a stranger could take over the name of a manager.
        guard try await vault.credential(id) == nil else { throw alreadyEnrolled }
        let personalization = XignInPersonalization(
            link: link, pin: evidence.pin, pinIterations: provider.configuration.pinIterations,
            withBiometry: evidence.biometry != nil, deviceToken: deviceToken,
            allowsPlainHTTP: provider.configuration.allowsPlainHTTP)
        let record = XignInRecord(
            format: try await provider.format.record(
                for: personalization, using: provider.access))
        let enrollment = Enrollment(
            id: id, issuer: invited.idmIdentifier, host: invited.host,
            state: .pending(.unconfirmed), created: environment.clock.now)
        do throws(PushError) {
            // On record before the first byte: if the reply is lost, the same keys ask again.
            try await vault.create(Credential(enrollment, secret: record.sealed))
        } catch  where error.code == .conflict {
            throw alreadyEnrolled
        }
        return try await activate(enrollment, deviceToken)
    }

    /// Asks again for an activation whose answer was lost. A manager has no call that tells the state
    /// of one that is confirmed.
    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        let known = try await vault.existing(enrollment).enrollment
        guard known.state == .pending(.unconfirmed) else { return known }
        switch try await provider.format.activate(enrollment, using: provider.access) {
        case .done(let activation):
            return try await confirm(enrollment, activation, deviceToken: nil)
        case .refused:
            // The link is spent or too old, and nothing brings this activation back.
            return try await provider.setState(.needsReenrollment, of: enrollment)
        }
    }
}

// MARK: Personalizing

extension XignInEnroller {
    /// The text of a link that was scanned, opened or pasted.
    private static func link(in invitation: Invitation) -> Secret? {
        switch invitation {
        case .scanned(let link), .typed(let link): link
        default: nil
        }
    }

    private func invited(by link: Secret) throws(PushError) -> XignInInvitation? {
        do throws(PushError) {
            return try provider.format.invitation(
                in: link, allowsPlainHTTP: provider.configuration.allowsPlainHTTP)
        } catch {
            throw error.of(provider.id)
        }
    }

    private func activate(
        _ enrollment: Enrollment, _ deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        let reply: XignInReply<XignInActivation>
        do throws(PushError) {
            reply = try await provider.format.activate(enrollment.id, using: provider.access)
        } catch {
            switch error.code {
            // The manager may have made the activation, and the same keys get it again.
            case .interrupted, .oversizedReply, .server: return enrollment
            case .storage, .conflict: throw error.of(provider.id)
            default: break
            }
            try await forget(enrollment.id)
            throw error.of(provider.id)
        }
        switch reply {
        case .done(let activation):
            return try await confirm(enrollment.id, activation, deviceToken: deviceToken)
        case .refused(let refusal):
            try await forget(enrollment.id)
            throw refusal.errorWhilePersonalizing.of(provider.id)
        }
    }

    private func confirm(
        _ enrollment: Enrollment.ID, _ activation: XignInActivation, deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try await vault.update(enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            record.format = activation.record
            credential.secret = record.sealed
            let old = credential.enrollment
            var new = Enrollment(
                id: old.id, issuer: old.issuer, account: activation.account, host: old.host,
                state: .active, created: old.created)
            // After a lost reply the core tells the token again, as it may have changed meanwhile.
            new.deviceToken = deviceToken
            credential.enrollment = new
            return new
        }
    }

    /// Takes a record away, with the key that only biometry unlocks.
    private func forget(_ enrollment: Enrollment.ID) async throws(PushError) {
        await provider.format.discard(enrollment, using: provider.access)
        try await vault.delete(enrollment)
    }

    private var alreadyEnrolled: PushError {
        error(
            .alreadyEnrolled,
            "There is an activation at this manager: remove it first, or refresh it if it is pending."
        )
    }

    private func error(_ code: PushError.Code, _ reason: String) -> PushError {
        PushError(code, reason, provider: provider.id)
    }
}

// MARK: Device token and removal

extension XignInEnroller {
    /// Tells the manager the device token. A manager from which the user wants no pushes is told that
    /// there is none, whatever the token.
    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        let record = try XignInRecord(reading: try await vault.existing(enrollment).secret)
        switch record.pushes {
        case .wanted:
            try await tell(deviceToken, to: enrollment)
        case .unwanted:
            try await tell(nil, to: enrollment)
            try await provider.note(.ended, at: enrollment)
        case .ended: break
        }
        guard record.pushes == .wanted || deviceToken == nil else {
            // Else the core would take the token for told.
            throw error(.unsupported, "The user wants no pushes from this manager.")
        }
    }

    private func tell(
        _ deviceToken: DeviceToken?, to enrollment: Enrollment.ID
    ) async throws(PushError) {
        let isSet = try await provider.value(
            of: try await provider.format.setDeviceToken(
                deviceToken, of: enrollment, using: provider.access),
            at: enrollment)
        guard isSet == (deviceToken != nil) else {
            throw error(.malformed, "The manager says that the token is another.")
        }
    }

    /// Ends the activation at the manager, and then on this device in any case.
    ///
    /// - Throws: `PushError` if the manager couldn't be told: nothing is left on the device then, but
    ///   the manager may go on sending pushes, which are refused here. Called again, it returns.
    func remove(_ enrollment: Enrollment.ID) async throws(PushError) {
        let reply = await Result { () async throws(PushError) -> XignInReply<Bool> in
            try await provider.format.endActivation(enrollment, using: provider.access)
        }
        try await forget(enrollment)
        switch reply {
        case .success(.done(true)), .success(.refused(.activationUnknown)): return
        case .failure(let failure) where failure.code == .unknownEnrollment: return
        case .failure(let failure):
            throw PushError(
                failure.code, "Removed here, but the manager couldn't be told: \(failure.reason)",
                provider: provider.id, underlying: failure)
        case .success:
            throw error(
                .server(status: 400), "Removed here, but the manager didn't end the activation.")
        }
    }
}

extension [Evidence] {
    /// The PIN, if there is one.
    var pin: Secret? {
        for case .pin(let pin) in self { return pin }
        return nil
    }

    /// That biometry was checked, if it was.
    var biometry: Evidence? {
        first { if case .biometry = $0 { true } else { false } }
    }
}
