import PushCore

struct XignInEnroller: Enroller {
    let provider: XignIn

    var environment: Environment { provider.environment }
    var vault: Vault { provider.vault }

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
            throw PushError(.invalidInvitation, "Not a link of this vendor.")
        }
        let id = provider.access.enrollment(at: invited.idmIdentifier)
        if let known = try await vault.credential(id) { return try await goOn(with: known, link) }
        let personalization = XignInPersonalization(
            link: link, pin: evidence.pin, pinIterations: provider.configuration.pinIterations,
            withBiometry: evidence.biometry != nil, deviceToken: deviceToken,
            allowsPlainHTTP: provider.configuration.allowsPlainHTTP)
        let record = XignInRecord(
            format: try await provider.format.record(
                for: personalization, using: provider.access),
            link: Self.hash(of: link))
        let enrollment = Enrollment(
            id: id, issuer: invited.idmIdentifier, host: invited.host, port: invited.port,
            state: .pending(.unconfirmed), created: environment.clock.now)
        do throws(PushError) {
            // On record before the first byte: if the reply is lost, the same keys ask again.
            try await vault.create(Credential(enrollment, secret: record.sealed))
        } catch {
            await provider.format.discard(record.format, using: provider.access)
            throw error.code == .conflict ? alreadyEnrolled : error
        }
        return try await activate(enrollment, deviceToken: deviceToken, again: false)
    }

    /// Asks again for an activation whose answer was lost. A manager has no call that tells the state
    /// of one that is confirmed.
    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        let known = try await vault.existing(enrollment).enrollment
        guard known.state == .pending(.unconfirmed) else { return known }
        switch try await provider.format.activate(enrollment, using: provider.access) {
        case .done(let activation):
            return try await confirm(enrollment, activation, deviceToken: nil)
        case .refused(let refusal):
            guard refusal.endsLink else { throw refusal.errorWhilePersonalizing }
            // The link is spent or too old, and nothing brings this activation back.
            return try await provider.setState(.needsReenrollment, of: enrollment)
        }
    }
}
