import PushCore

struct PlusAuthEnroller: Enroller {
    let channel: PlusAuthChannel
    let keys: AccountKeySource
    let sim: SIMEnforcement

    var configuration: PlusAuthConfiguration { channel.configuration }
    var environment: PushEnvironment { channel.environment }
    var accounts: Accounts { channel.accounts }

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard let uri = try uri(of: invitation) else { return nil }
        return Invitation.Offer(
            provider: channel.provider, invitation: invitation, issuer: uri.issuer,
            account: uri.account, host: uri.enrollmentURL.hostWithPort)
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let uri = try uri(of: offer.invitation) else {
            throw PushError(.invalidInvitation, "Not an enrollment code of this vendor.")
        }
        guard let deviceToken else {
            throw PushError(.missingDeviceToken, "PlusAuth registers a device with its token.")
        }
        remark(on: uri)
        let claim = AccountClaim(of: uri.account, at: uri.enrollmentURL.shortOrigin)
        let known = try await claim.holders(in: accounts)
        let secret = try await accounts.installationSecret(from: environment.random)
        let (enrollment, credential, request) = try await draft(
            uri, deviceToken, installSecret: InstallSecret(of: secret))
        // On record before the first byte: if the reply is lost, the first push confirms it.
        let account = try await claim.create(enrollment, credential, in: accounts)
        guard try await isTaken(request, account.id) else { return enrollment }
        let active: Enrollment
        do throws(PushError) {
            active = try await account.changeEnrollment { enrollment in
                enrollment.state = .active
                return enrollment
            }
        } catch {
            throw PushError(
                error.code,
                "\(error.reason) PlusAuth has this device: the enrollment stays pending here, and the "
                    + "first push confirms it.", underlying: error)
        }
        // One name at one origin may be two issuers' account.
        await discard(known.filter { $0.issuer == active.issuer })
        return active
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        throw PushError(
            .unsupported, "PlusAuth documents no call for a device token: enroll again.")
    }

    /// There is no call for it, so only the SIM is looked at.
    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        do throws(PushError) {
            try await sim.enforce(on: account)
        } catch  where error.code == .blocked {
            // The state says so.
        }
        return account.enrollment
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await accounts.delete(account.id)
    }
}

extension PlusAuthEnroller {
    private func uri(of invitation: Invitation) throws(PushError) -> PushEnrollmentURI? {
        guard let text = invitation.scannedText else { return nil }
        let uri = try PushEnrollmentURI(text, allowsLocalHosts: configuration.allowsLocalHosts)
        if let uri, let allowed = configuration.allowedHosts,
            !allowed.contains(where: { $0.lowercased() == uri.enrollmentURL.host })
        {
            throw PushError(
                .invalidInvitation, "The parameter \"enrollment_url\" names no allowed host.")
        }
        return uri
    }

    private func remark(on uri: PushEnrollmentURI) {
        if uri.isAlgorithmAssumed {
            channel.observe(.noticed, "An enrollment code names no algorithm: SHA1 is assumed.")
        }
        if uri.hasConflictingIssuer {
            channel.observe(.noticed, "An enrollment code names two issuers.")
        }
    }

    /// A new key pair, the record that keeps it, and the request that sends it.
    private func draft(
        _ uri: PushEnrollmentURI, _ deviceToken: DeviceToken, installSecret: InstallSecret
    ) async throws(PushError) -> (Enrollment, PlusAuthCredential, PlusAuthRequest) {
        let exported = try await keys.key(configuration.keyAlgorithm)
        let signing = try await signingKey(for: exported)
        let cards = await sim.cards(for: installSecret, at: uri.enrollmentURL.shortOrigin)
        let credential = try PlusAuthCredential(
            uri, verification: exported.signingKey, signing: signing,
            installSecret: installSecret, sim: SIMBinding(baseline: cards))
        let body = try EnrollmentRequest(
            exported: exported, signing: signing, deviceIdentifier: credential.deviceIdentifier,
            deviceToken: deviceToken, service: configuration.service
        ).body
        var enrollment = Enrollment(
            id: Enrollment.ID(exported.signingKey.name, of: channel.provider), issuer: uri.issuer,
            account: uri.account, host: uri.enrollmentURL.host,
            port: uri.enrollmentURL.port, state: .pending(.unconfirmed),
            created: environment.clock.now)
        // No call could tell it later, so it's what PlusAuth has once anything confirms the account.
        enrollment.deviceToken = deviceToken
        let request = PlusAuthRequest(
            uri.enrollmentURL, bearer: uri.contextToken, body: body, from: channel)
        return (enrollment, credential, request)
    }

    /// The key that signs answers: the very one that PlusAuth gets, as its documentation wants it,
    /// or one that stays here.
    private func signingKey(
        for exported: ExportableAccountKey
    ) async throws(PushError) -> AccountSigningKey {
        guard configuration.splitKey else { return exported.signingKey }
        return try await AccountSigningKey.generate(exported.signingKey.algorithm)
    }

    /// Ends what the new enrollment replaces, now that PlusAuth has taken it.
    private func discard(_ replaced: [Enrollment]) async {
        for enrollment in replaced {
            do throws(PushError) {
                try await accounts.delete(enrollment.id)
            } catch {
                channel.observe(.noticed, "A replaced enrollment couldn't be deleted.")
            }
        }
    }
}

extension PlusAuthEnroller {
    /// Whether PlusAuth has taken the enrollment; `false` if that isn't known.
    ///
    /// - Throws: `PushError`. The key pair is gone then, but after `server` with a reply that was
    ///   in no documented form: that is nobody's word, and PlusAuth may have taken the enrollment.
    func isTaken(
        _ request: PlusAuthRequest, _ id: Enrollment.ID
    ) async throws(PushError) -> Bool {
        let reply: PlusAuthRequest.ServerReply
        do throws(PushError) {
            reply = try await request.reply(over: environment.transport)
        } catch {
            if error.isReplyLost { return false }
            await discard(id)
            throw error
        }
        switch reply {
        case .success:
            return true
        // Trouble on the way to a reply, a gateway's or PlusAuth's own: it may have been taken.
        case .refusal(status: 500..., _), .stranger(status: 500...):
            return false
        case .stranger(let status):
            throw PushError(
                .server(status: status),
                "The reply \(status) doesn't say whether PlusAuth took the enrollment.")
        case .refusal(let status, let word):
            await discard(id)
            throw refusal(status, word)
        }
    }

    /// The key pair goes with the record: nothing is left of it. Why PlusAuth refused is what the
    /// caller hears, even if the store can't forget now.
    private func discard(_ id: Enrollment.ID) async {
        do throws(PushError) {
            try await accounts.delete(id)
        } catch {
            channel.observe(
                .refused(error.code), "A refused enrollment couldn't be deleted.", at: id)
        }
    }

    private func refusal(_ status: Int, _ word: ErrorWord) -> PushError {
        let said = word.rawValue
        return switch status {
        case 401:
            PushError(
                .invalidInvitation,
                """
                The parameter "context_token" is used up or expired: reload the login page: \(said).
                """)
        case 409:
            PushError(
                .alreadyEnrolled,
                """
                PlusAuth has this device already: its old credential must be removed first: \(said).
                """)
        default:
            PushError(.server(status: status), "PlusAuth refused the enrollment: \(said).")
        }
    }
}
