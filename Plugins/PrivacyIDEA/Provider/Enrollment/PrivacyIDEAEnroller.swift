import PushCore
import PushJOSE

struct PrivacyIDEAEnroller: Enroller {
    let calls: ServerCalls
    let lists: ServerLists
    let tokens: Tokens
    let keys: DeviceKeySource

    private var accounts: Accounts { calls.environment.accounts(for: calls.provider) }

    /// What a server is told instead of a device token, where there is none.
    private static let noToken = "no_firebase_token"

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard let text = invitation.scannedText,
            let code = try PipushInvitation(text, for: calls.configuration)
        else { return nil }
        var offer = Invitation.Offer(
            provider: calls.provider, invitation: invitation, issuer: code.issuer,
            account: code.label, host: code.url.hostWithPort)
        offer.enrollment = id(of: code)
        // Only the client enforces it.
        offer.deadline = calls.environment.clock.elapsed + code.lifetime
        return offer
    }

    private func id(of code: PipushInvitation) -> Enrollment.ID {
        PrivacyIDEACredential.id(
            serial: code.serial, origin: code.url.shortOrigin, of: calls.provider)
    }

    // MARK: Enrolling

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let text = offer.invitation.scannedText,
            let code = try PipushInvitation(text, for: calls.configuration)
        else { throw PushError(.invalidInvitation, "It isn't a code of privacyIDEA's.") }
        let id = id(of: code)
        let predecessor = try await accounts.account(id)
        if let predecessor {
            // A code is spent once. Another one for the same token replaces its keys.
            let known = try predecessor.credential(as: PrivacyIDEACredential.self).invitation
            guard !known.hasSameBytes(as: PrivacyIDEACredential.digest(of: code)) else {
                throw PushError(.alreadyEnrolled, "This code was used on this device.")
            }
        }
        let told = code.isPollOnly == true ? nil : deviceToken
        let key = try await keys.key(calls.configuration.keySize)
        let serverKey = try await accounts.keepingRoom { () async throws(PushError) in
            try await join(code, key, told)
        }
        let credential = PrivacyIDEACredential(code, key, serverKey)
        var enrollment = Enrollment(
            id: id, issuer: code.issuer, account: code.label, host: code.url.host,
            port: code.url.port, state: .active, created: calls.environment.clock.now)
        enrollment.deviceToken = told
        enrollment.takesDeviceToken = code.isPollOnly != true
        do throws(PushError) {
            try await keep(enrollment, credential, insteadOf: predecessor)
            return enrollment
        } catch {
            throw PushError(
                error.code,
                "\(error.reason) The server has enrolled this device all the same, and the code is "
                    + "spent: have its token deleted there, and ask for a new code.",
                underlying: error)
        }
    }

    /// The record is written after the server's word alone: without its key no record would be of
    /// use. Until then the one that stood there polls and answers.
    private func keep(
        _ enrollment: Enrollment, _ credential: PrivacyIDEACredential,
        insteadOf predecessor: Account?
    ) async throws(PushError) {
        if let predecessor {
            try await predecessor.replace(enrollment, credential)
        } else {
            try await accounts.create(enrollment, credential)
        }
        await tokens.listed.forget()
        await calls.deviceKeys.dropCaches()
    }

    /// Tells the server the device's key.
    ///
    /// - Returns: The server's key for the token.
    private func join(
        _ code: PipushInvitation, _ key: DeviceKey, _ deviceToken: DeviceToken?
    ) async throws(PushError) -> ServerKey {
        let form = FormText([
            (
                "enrollment_credential",
                code.credential.withBytes { String(decoding: $0, as: UTF8.self) }
            ),
            ("serial", code.serial), ("fbtoken", Self.text(of: deviceToken)),
            ("pubkey", key.publicText), ("capabilities", ServerCalls.capabilities),
        ])
        let (reply, isAgain) = try await posted(form, to: code.url)
        switch reply.word {
        case .value(.bool(true), let detail?):
            return try Self.serverKey(in: detail, for: code)
        case .error where reply.refusal?.isOfToken == true:
            throw PushError(
                .invitationSpent,
                isAgain
                    ? "The server's reply was lost, and the code is spent: ask for a new code."
                    : "No token waits for the code any more: ask for a new code.")
        case .error where reply.refusal?.isOfInvitation == true:
            throw PushError(
                .invalidInvitation, "The server doesn't take the code: ask for a new code.")
        default: throw reply.unexpected("an enrollment's")
        }
    }

    /// Posts it, and once more if the reply is lost: if the first copy came, its code is spent, and
    /// the server tells its key nowhere else.
    private func posted(
        _ form: FormText, to url: Endpoint
    ) async throws(PushError) -> (reply: ServerReply, isAgain: Bool) {
        do throws(PushError) {
            return (try await calls.post(form.data, to: url), false)
        } catch  where error.isReplyLost {
            do throws(PushError) {
                return (try await calls.post(form.data, to: url), true)
            } catch {
                throw PushError(
                    .interrupted,
                    "The server's reply was lost: if the code isn't taken again, ask for a new one.",
                    underlying: error)
            }
        }
    }

    private static func serverKey(
        in detail: JSON.Object, for code: PipushInvitation
    ) throws(PushError) -> ServerKey {
        if let serial = detail["serial"] {
            guard serial.string?.hasSameBytes(as: code.serial) == true else {
                throw PushError(.malformed, "The server enrolled another serial than the code's.")
            }
        }
        guard let text = detail["public_key"]?.string else {
            throw PushError(.malformed, "The reply to an enrollment lacks public_key.")
        }
        return try ServerKey(lines: text)
    }

    // MARK: Afterwards

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        let reply = try await calls.tell(Self.text(of: deviceToken), of: account)
        guard case .value(.bool(true), _) = reply.word else {
            throw reply.unexpected("a device token's")
        }
    }

    /// There is no call for a token's state, but a list proves that the server takes its
    /// signatures.
    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        do throws(PushError) {
            _ = try await lists.list(of: account)
        } catch  where error.code == .listRefused {
            // Pushes and answers go on.
            return account.enrollment
        }
        return try await account.changeEnrollment { enrollment in
            if enrollment.state == .needsReenrollment { enrollment.state = .active }
            return enrollment
        }
    }

    /// There is no call that ends a token. The server is told that the device has no token any
    /// more, if it can be reached.
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        if place == .everywhere, account.enrollment.deviceToken != nil {
            try? await update(nil, of: account)
        }
        try await accounts.delete(account.id)
        await tokens.listed.forget()
        await calls.deviceKeys.dropCaches()
    }

    func forget(_ enrollment: Enrollment.ID) async throws(PushError) {
        await tokens.listed.forget()
        await calls.deviceKeys.dropCaches()
    }

    private static func text(of deviceToken: DeviceToken?) -> String {
        switch deviceToken {
        case .fcm(let text)?: text
        case .apns(let hex, _)?: hex
        case nil: noToken
        @unknown default: noToken
        }
    }
}
