import PushCore
import PushJOSE

struct ForgeRockEnroller: Enroller {
    let provider: ProviderID
    let environment: PushEnvironment
    let hosts: AllowedHosts
    let policies: [DevicePolicy]
    let refusesUnreadablePolicies: Bool

    private var accounts: Accounts { environment.accounts(for: provider) }

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        switch try code(of: invitation) {
        case .push(let uri)?: return try offer(uri, invitation)
        // Nothing is sent, so there is no host to agree to.
        case .codes(let uri)?:
            var offer = Invitation.Offer(
                provider: provider, invitation: invitation, issuer: uri.issuer,
                account: uri.account)
            offer.isGeneric = !uri.isMarked
            return offer
        case nil: return nil
        }
    }

    private func offer(
        _ uri: EnrollmentURI, _ invitation: Invitation
    ) throws(PushError) -> Invitation.Offer {
        // Every host that is sent anything, now or later.
        var hosts = [uri.registrationEndpoint.hostWithPort]
        if hosts != [uri.authenticationEndpoint.hostWithPort] {
            hosts.append(uri.authenticationEndpoint.hostWithPort)
        }
        let host = hosts.joined(separator: ", ")
        guard host.utf8.count <= DisplayText.Limit.title.rawValue else {
            throw PushError(
                .invalidInvitation, "The code's hosts are too long to be shown together.")
        }
        return Invitation.Offer(
            provider: provider, invitation: invitation, issuer: uri.issuer,
            account: uri.account, host: host)
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        switch try code(of: offer.invitation) {
        case .push(let uri)?: return try await enroll(uri, offer, deviceToken)
        case .codes(let uri)?: return try await enroll(uri, offer)
        case nil:
            throw PushError(.invalidInvitation, "Not an enrollment code of this vendor.")
        }
    }

    /// Registers for pushes, and keeps what makes one-time codes if there is such a half: AM checks
    /// them once it has taken the registration.
    private func enroll(
        _ uri: EnrollmentURI, _ offer: Invitation.Offer, _ deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let deviceToken else {
            throw PushError(.missingDeviceToken, "AM registers a device by its token.")
        }
        try await check(uri)
        let claim = claim(of: offer)
        if uri.oneTimeCode != nil { try await claim.requireNoCodes() }
        let place = try await claim.text()
        let enrollment = Enrollment(
            id: Enrollment.ID(environment.random.uuid(), of: provider), issuer: uri.issuer,
            account: uri.account, host: uri.authenticationEndpoint.host,
            port: uri.authenticationEndpoint.port,
            state: .pending(.unconfirmed), created: environment.clock.now)
        let body = try registration(uri, enrollment.id, deviceToken)
        // On record before the first byte: if the reply is lost, the first push confirms it.
        let account = try await accounts.create(
            enrollment, ForgeRockCredential(uri), claiming: place)
        let isTaken = try await register(uri, body, enrollment.id)
        do throws(PushError) {
            // Beside another process's enrollment that AM took meanwhile this one stays half: AM's
            // first push tells which of the two AM knows.
            let isSecond = try await claim.settle(enrollment.id)
            guard isTaken, !isSecond else { return enrollment }
            return try await account.changeEnrollment { enrollment in
                enrollment.state = .active
                enrollment.deviceToken = deviceToken
                return enrollment
            }
        } catch {
            throw PushError(
                error.code,
                "\(error.reason) AM \(isTaken ? "has" : "may have") registered this device: the "
                    + "enrollment stays pending here, and AM's first push confirms it.",
                underlying: error)
        }
    }

    /// Keeps what makes one-time codes. Nobody is told.
    private func enroll(
        _ uri: OneTimeCodeURI, _ offer: Invitation.Offer
    ) async throws(PushError) -> Enrollment {
        var enrollment = Enrollment(
            id: Enrollment.ID(environment.random.uuid(), of: provider), issuer: uri.issuer,
            account: uri.account, state: .active, created: environment.clock.now)
        enrollment.takesDeviceToken = false
        let place = try await claim(of: offer).text(ofCodes: uri.parameters)
        try await accounts.create(enrollment, ForgeRockCredential(uri), claiming: place)
        return enrollment
    }

    func update(
        _ deviceToken: DeviceToken?, of account: Account
    ) async throws(PushError) {
        guard let deviceToken else {
            throw PushError(.unsupported, "AM has no call that takes a device token away.")
        }
        let kept: ForgeRockCredential = try account.credential()
        guard let endpoint = kept.refreshEndpoint else {
            throw PushError(.unsupported, "The registration URL has no action to replace.")
        }
        guard let user = kept.user else {
            throw PushError(
                .unsupported,
                "AM wants its user name, which no code and no push has told: AM 8.0.1.")
        }
        let token = try token(of: device(account.id, deviceToken), with: kept.sharedSecret)
        let body: JSON = [
            "mechanismUid": .string(account.id.name), "jwt": .string(token),
            "username": .string(user),
        ]
        let reply = try await AMRequest(endpoint, cookie: kept.cookie, body: body.data)
            .reply(over: environment.transport)
        // Else a portal's page would count as AM's word that it has the token.
        guard reply.isSuccess, reply.isObject else {
            throw .unexplained(
                status: reply.status, "AM didn't say that it took the device token.")
        }
    }

    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        let violated = await policies.violatedPolicy(of: try account.credential())
        return try await account.changeEnrollment { enrollment in
            switch (enrollment.state, violated) {
            case (.active, let policy?): enrollment.state = .blocked(policy)
            case (.blocked, let policy):
                enrollment.state = policy.map { .blocked($0) } ?? .active
            case (.active, nil), (.pending, _), (.needsReenrollment, _), (.movedAway, _): break
            }
            return enrollment
        }
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await accounts.delete(account.id)
    }
}

extension ForgeRockEnroller {
    /// What a code enrolls.
    private enum Code {
        /// Pushes, perhaps one-time codes as well.
        case push(EnrollmentURI)
        /// One-time codes alone.
        case codes(OneTimeCodeURI)
    }

    private func code(of invitation: Invitation) throws(PushError) -> Code? {
        guard let text = invitation.scannedText else { return nil }
        guard let uri = try EnrollmentURI(text) else {
            return try OneTimeCodeURI(text).map { .codes($0) }
        }
        try hosts.check(uri.registrationEndpoint, uri.authenticationEndpoint)
        return .push(uri)
    }

    private func claim(of offer: Invitation.Offer) -> AccountClaim {
        AccountClaim(accounts: accounts, issuer: offer.issuer, account: offer.account)
    }

    /// What must hold before anything is sent.
    private func check(_ uri: EnrollmentURI) async throws(PushError) {
        if uri.hasUnreadablePolicies {
            guard !refusesUnreadablePolicies else {
                throw PushError(.invalidInvitation, "The parameter \"policies\" can't be read.")
            }
            notice("An enrollment code has policies that can't be read; they are ignored.")
        }
        if uri.sharedSecret.count < 32 {
            notice("An enrollment code has a shared secret of less than 32 bytes.")
        }
        try await policies.requireCompliance(with: uri.policies)
    }

    /// Whether AM has taken the registration; `false` if that isn't known.
    ///
    /// A server's failure, or a gateway's word that AM's reply came too late, doesn't say what AM
    /// did. Every other status but success is an error, AM's word or not, and an error leaves
    /// nothing: the user scans the code again, or gets a new one if AM has used it up.
    private func register(
        _ uri: EnrollmentURI, _ body: JSON, _ id: Enrollment.ID
    ) async throws(PushError) -> Bool {
        do throws(PushError) {
            let request = AMRequest(uri.registrationEndpoint, cookie: uri.cookie, body: body.data)
            let reply = try await request.reply(over: environment.transport)
            if reply.isSuccess { return true }
            // AM may have taken it: 408 and 499 are a gateway's words for a request that it cut off.
            if reply.refusal == nil, reply.status == 408 || reply.status >= 499 { return false }
            throw PushError(
                .server(status: reply.status),
                reply.refusal == nil
                    ? "The reply doesn't say what AM made of the registration."
                    : "AM refused the registration.")
        } catch {
            if error.isReplyLost { return false }
            try await accounts.delete(id)
            throw error
        }
    }

    private func registration(
        _ uri: EnrollmentURI, _ id: Enrollment.ID, _ deviceToken: DeviceToken
    ) throws(PushError) -> JSON {
        let response = uri.challenge.withBytes {
            ChallengeResponse.text(for: $0, with: uri.sharedSecret)
        }
        let claims = JSON.Object(
            [("response", .string(response))] + device(id, deviceToken).members)
        return [
            "messageId": .string(uri.messageID),
            "jwt": .string(try token(of: claims, with: uri.sharedSecret)),
        ]
    }

    /// What AM is told of this device. AM sends by Apple's service if the type is exactly `apns`.
    private func device(_ id: Enrollment.ID, _ deviceToken: DeviceToken) -> JSON.Object {
        let (text, service): (String, String) =
            switch deviceToken {
            case .apns(let hex, _): (hex.uppercased(), "apns")
            case .fcm(let token): (token, "gcm")
            }
        let type: String =
            switch environment.device.platform {
            case .apple: "ios"
            case .android: "android"
            case .other: service == "apns" ? "ios" : "android"
            }
        return [
            "mechanismUid": .string(id.name), "deviceId": .string(text),
            "deviceName": .string(environment.device.name), "deviceType": .string(type),
            "communicationType": .string(service),
        ]
    }

    private func token(
        of claims: JSON.Object, with secret: Secret
    ) throws(PushError) -> String {
        try AMToken.signed(claims, with: secret)
    }

    private func notice(_ summary: StaticString) {
        environment.observer.observe(PushObservation(.noticed, summary, provider: provider))
    }
}
