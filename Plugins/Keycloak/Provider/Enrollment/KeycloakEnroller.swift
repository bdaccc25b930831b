import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct KeycloakEnroller: Enroller {
    let calls: DeviceCalls
    let lists: ChallengeLists

    private var environment: PushEnvironment { calls.environment }
    private var accounts: Accounts { environment.accounts(for: calls.provider) }

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard let code = try code(in: invitation) else { return nil }
        return Invitation.Offer(
            provider: calls.provider, invitation: invitation, issuer: code.realm.name,
            account: code.username, host: code.realm.issuer.hostWithPort)
    }

    private func code(in invitation: Invitation) throws(PushError) -> EnrollmentCode? {
        guard let text = invitation.scannedText else { return nil }
        return try EnrollmentCode(text, for: calls.configuration)
    }

    // MARK: Enrolling

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let code = try code(in: offer.invitation) else {
            throw PushError(.invalidInvitation, "It isn't an enrollment code of Keycloak's.")
        }
        let token = try await token(of: code)
        let key = try DeviceKey(
            from: environment.random, inEnclave: calls.configuration.usesSecureEnclave)
        let id = Enrollment.ID(environment.random.uuid(), of: calls.provider)
        let credential = KeycloakCredential(
            issuer: code.realm.issuer.text, subject: token.subject,
            deviceID: environment.random.uuid(), key: key.stored)
        let server = code.realm.issuer
        var enrollment = Enrollment(
            id: id, issuer: code.realm.name, account: token.username, host: server.host,
            port: server.port, state: .pending(.unconfirmed), created: environment.clock.now)
        // It is what the realm has, once anything confirms the enrollment.
        enrollment.deviceToken = deviceToken
        let call = DeviceCall(
            .post, "/enroll/complete",
            .token(claims(of: token, id, credential, key, deviceToken)), saying: "enrolled")
        // On record before the first byte: if the reply is lost, the list or a push confirms it.
        let account = try await accounts.create(enrollment, credential)
        guard try await isTaken(call, credential, key, id) else { return enrollment }
        return try await account.changeEnrollment { enrollment in
            enrollment.state = .active
            return enrollment
        }
    }

    /// The realm's token, verified. The user has agreed to ask this realm, so its keys are asked
    /// for whatever pushes have asked for.
    private func token(of code: EnrollmentCode) async throws(PushError) -> EnrollmentToken {
        let unverified: UnverifiedJWT
        switch code.content {
        case .token(let jwt): unverified = jwt
        case .reference(let endpoint): unverified = try await fetched(from: endpoint)
        }
        let jwt = try await IssuerKeys(in: environment).verified(unverified, at: code.realm.keys)
        let token = try EnrollmentToken(jwt, of: code.realm)
        guard await calls.now(at: code.realm).timeIntervalSince1970 < Double(token.expiry) else {
            throw PushError(.invitationSpent, "The code has expired: ask for a new one.")
        }
        return token
    }

    private func fetched(from endpoint: Endpoint) async throws(PushError) -> UnverifiedJWT {
        let request = endpoint.request(.get, headers: [.accept: "application/jwt"])
        let (response, body) = try await environment.transport.send(request, body: Data())
        let reply = ServerReply(response, body)
        guard !reply.says(.noRequest) else {
            throw PushError(.invitationSpent, "The realm has no such request: ask for a new code.")
        }
        let type = response.headerFields[.contentType]?.start(before: ";").asciiWord
        guard response.status == .ok, type == "application/jwt",
            let text = String(validUTF8: body), let jwt = CarriedText.jwt(text),
            EnrollmentToken.isClaimed(by: jwt)
        else {
            throw .unexplained(
                status: response.status.code, "The reply isn't an enrollment token.")
        }
        return jwt
    }

    private func claims(
        of token: EnrollmentToken, _ id: Enrollment.ID, _ credential: KeycloakCredential,
        _ key: DeviceKey, _ deviceToken: DeviceToken?
    ) -> JSON.Object {
        var claims: JSON.Object = [
            "enrollmentId": .string(token.enrollmentID), "nonce": .string(token.nonce),
            "sub": .string(token.subject), "deviceType": .string(deviceType),
        ]
        for (name, value) in PushAddress(deviceToken, calls.configuration).claims.members {
            claims[name] = value
        }
        claims["credentialId"] = .string(id.name)
        claims["deviceId"] = .string(credential.deviceID)
        let label = DisplayText.sanitized(environment.device.name, .label)
        if !label.isEmpty { claims["deviceLabel"] = .string(label) }
        claims["cnf"] = ["jwk": .object(key.jwk.members)]
        claims["exp"] = .integer(token.expiry)
        return claims
    }

    private var deviceType: String {
        switch environment.device.platform {
        case .apple: "ios"
        case .android: "android"
        case .other: "other"
        @unknown default: "other"
        }
    }

    // MARK: What became of it

    /// Whether the realm has taken the enrollment; `false` if that isn't known.
    ///
    /// - Throws: `PushError`. The record is gone then, but after `server` with a reply that isn't
    ///   one of the extension's refusals: the realm may have taken the enrollment.
    private func isTaken(
        _ call: DeviceCall, _ credential: KeycloakCredential, _ key: DeviceKey,
        _ id: Enrollment.ID
    ) async throws(PushError) -> Bool {
        let reply: ServerReply
        do throws(PushError) {
            reply = try await calls.reply(to: call, from: credential, id, with: key)
        } catch {
            if error.isReplyLost { return false }
            await discard(id)
            throw error
        }
        if call.isDone(by: reply) { return true }
        // Trouble on the way to a reply: it may have been taken.
        if 200..<300 ~= reply.status || reply.status >= 500 { return false }
        guard reply.refusesEnrollment else { throw reply.unexpected("an enrollment's") }
        await discard(id)
        if reply.says(.noChallenge, .resolvedOrExpired, .enrollmentExpired) {
            throw PushError(
                .invitationSpent, "The code was used or has expired: ask for a new one.")
        }
        if reply.says(.wrongNonce, .notForEnrollment, .notOwner, .noUser) {
            throw PushError(
                .invalidInvitation, "The realm doesn't take the code: ask for a new one.")
        }
        if reply.says(.isBeingResolved) {
            throw PushError(.unreachable, "The realm is busy with this code: try again.")
        }
        throw reply.unexpected("an enrollment's")
    }

    /// The key goes with the record. Why the realm refused is what the caller hears, even if the
    /// store can't forget now.
    private func discard(_ id: Enrollment.ID) async {
        do throws(PushError) {
            try await accounts.delete(id)
        } catch {
            environment.observer.observe(
                PushObservation(
                    .refused(error.code), "A refused enrollment couldn't be deleted.",
                    provider: calls.provider, enrollment: id))
        }
    }

    // MARK: Afterwards

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        let call = call(telling: deviceToken)
        let reply = try await calls.reply(to: call, of: account)
        guard call.isDone(by: reply) else { throw reply.unexpected("a push provider's") }
    }

    private func call(telling deviceToken: DeviceToken?) -> DeviceCall {
        let address = PushAddress(deviceToken, calls.configuration)
        return DeviceCall(
            .put, "/device/push-provider", .json(address.change), saying: "updated", "unchanged")
    }

    /// There is no call for an enrollment's state, but a list proves that the realm takes its key.
    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        _ = try await lists.list(of: account, isRefresh: true)
        return account.enrollment
    }

    /// There is no call that ends an enrollment. The realm is told to push no more, if it can be
    /// reached.
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        if place == .everywhere, account.enrollment.deviceToken != nil {
            // First on record: if this is killed before the end, the app tells the realm again.
            try? await account.changeEnrollment { $0.deviceToken = nil }
            _ = try? await calls.anyReply(to: call(telling: nil), of: account)
        }
        try await accounts.delete(account.id)
        await forgetTokens(of: account)
    }

    /// The access tokens of an enrollment that is gone are of no more use.
    private func forgetTokens(of account: Account) async {
        guard let credential = try? account.credential(as: KeycloakCredential.self) else { return }
        for stored in [credential.key, credential.nextKey].compactMap(\.self) {
            guard let key = try? DeviceKey(stored: stored) else { continue }
            await calls.accessTokens.drop(key.thumbprint)
        }
    }
}
