import PushCore

struct XignInEnroller: Enroller {
    let access: XignInAccess

    private var configuration: XignInConfiguration { access.configuration }
    private var environment: PushEnvironment { access.environment }
    private var format: any XignInWireFormat { access.format }

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard let link = Self.link(in: invitation),
            let invited = try readInvitation(in: link)
        else { return nil }
        var asks: [[Factor]] = [[.newPIN]]
        if format.takesBiometry {
            asks.insert([.newPIN, .newBiometry], at: 0)
        }
        return Invitation.Offer(
            provider: access.provider, invitation: invitation, issuer: invited.idmIdentifier,
            host: invited.hostWithPort, asks: asks)
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let link = Self.link(in: offer.invitation), let invited = try readInvitation(in: link)
        else {
            throw PushError(.invalidInvitation, "Not a link of this vendor.")
        }
        let id = access.enrollment(at: invited.idmIdentifier)
        if let known = try await access.accounts.account(id) {
            return try await pending(known).resume(by: link)
        }
        let personalization = XignInPersonalization(
            link: link, pin: evidence.pin,
            biometry: format.takesBiometry ? evidence.biometricSecret : nil,
            deviceToken: deviceToken)
        let record = XignInRecord(
            format: try await format.record(for: personalization, using: access), link: link)
        let enrollment = Enrollment(
            id: id, issuer: invited.idmIdentifier, host: invited.host, port: invited.port,
            state: .pending(.unconfirmed), created: environment.clock.now)
        let account: Account
        do throws(PushError) {
            // On record before the first byte: if the reply is lost, the same keys ask again.
            account = try await access.accounts.create(enrollment, record)
        } catch {
            await format.discard(record.format, using: access)
            throw error.code == .conflict ? PendingActivation.alreadyEnrolled : error
        }
        return try await pending(account).activate(deviceToken: deviceToken, again: false)
    }

    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        // A manager has no call that tells the state of an activation that is confirmed.
        let known = account.enrollment
        guard known.state == .pending(.unconfirmed) else { return known }
        return try await pending(account).refresh()
    }

    /// Tells the manager the device token, or that there is none.
    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        let isSet = try await ManagerReplies(account: account).value(
            of: try await format.setDeviceToken(deviceToken, of: account, using: access))
        guard isSet == (deviceToken != nil) else {
            throw PushError(.malformed, "The manager says that the token is another.")
        }
    }

    /// Ends the activation at the manager, unless it ends on this device alone, and then on this
    /// device in any case.
    ///
    /// - Throws: `PushError` if the manager couldn't be told: nothing is left on the device then,
    ///   but the manager may go on sending pushes, which are refused here.
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        guard place == .everywhere else { return try await access.forget(account) }
        let state = account.enrollment.state
        let reply = await Result { () async throws(PushError) -> XignInReply<Bool> in
            try await format.endActivation(account, using: access)
        }
        try await access.forget(account)
        switch reply {
        case .success(.success(true)), .success(.failure(.activationUnknown)): return
        case .failure(let failure) where failure.code == .unknownEnrollment:
            guard state == .pending(.unconfirmed) else { return }
            environment.observer.observe(
                PushObservation(
                    .noticed, "An activation was removed that its manager may have made.",
                    provider: access.provider))
        case .failure(let failure):
            throw PushError(
                failure.code, "Removed here, but the manager couldn't be told: \(failure.reason)",
                underlying: failure)
        case .success:
            throw PushError(
                .server(status: 400), "Removed here, but the manager didn't end the activation.")
        }
    }

    private func pending(_ account: Account) -> PendingActivation {
        PendingActivation(access: access, account: account)
    }

    // MARK: Links

    /// The text of a link that was scanned, opened or pasted.
    private static func link(in invitation: Invitation) -> Secret? {
        switch invitation {
        case .scanned(let link), .typed(let link): link
        case .credentials: nil
        }
    }

    private func readInvitation(in link: Secret) throws(PushError) -> XignInInvitation? {
        let invited = try format.invitation(
            in: link, allowsPlainHTTP: configuration.allowsPlainHTTP)
        if let invited { try configuration.check(host: invited.host) }
        return invited
    }
}
