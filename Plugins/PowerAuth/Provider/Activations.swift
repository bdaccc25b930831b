import PushCore

/// All that the core, and the vendor's door, ask of activations: it knows what they are for, and
/// judges what the server said. How the server is asked is the channel's.
///
/// The caller holds the enrollment's turn, except to verify a message and to make an offer.
struct Activations: Sendable {
    let channel: PowerAuthChannel

    var configuration: PowerAuthConfiguration { channel.configuration }
    var environment: PushEnvironment { channel.environment }

    var offline: OfflineOperations { OfflineOperations(channel: channel) }
}

// MARK: Enrolling

extension Activations: Enroller {
    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard let code = try code(in: invitation) else { return nil }
        // With the code alone: its signature has been checked.
        return offer(ActivationOrder(code).invitation, .code)
    }

    /// What an activation of the app's own would join.
    ///
    /// - Throws: `PushError`, as ``PowerAuthActivator/offer(for:)`` says.
    func offer(for activation: PowerAuthActivation) throws(PushError) -> Invitation.Offer {
        var code: ActivationCode?
        if case .code(let invitation) = activation.identity {
            guard let read = try self.code(in: invitation) else {
                throw PushError(.invalidInvitation, "Not an activation code.")
            }
            code = read
        }
        let order = try ActivationOrder(activation, code: code)
        return offer(order.invitation, order.kind)
    }

    private func offer(_ invitation: Invitation, _ kind: ActivationOrder.Kind) -> Invitation.Offer {
        var asks: [Factor] = [.newPIN]
        if configuration.asksActivationOTP, kind == .code { asks.append(.code("activation OTP")) }
        return Invitation.Offer(
            provider: channel.provider, invitation: invitation,
            host: configuration.enrollmentServer.hostWithPort,
            asks: configuration.offersBiometry ? [asks + [.newBiometry], asks] : [asks])
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        let order: ActivationOrder
        if case .credentials(let user, let password) = offer.invitation {
            order = try ActivationOrder(user: user, password)
        } else if let code = try code(in: offer.invitation) {
            order = ActivationOrder(code)
        } else {
            throw PushError(.invalidInvitation, "Not an activation code.")
        }
        return try await NewActivation(channel: channel).enrollment(order, evidence)
    }

    /// Asks for the state: until the activation is committed, again and again, or after a push.
    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        try await channel.status(of: account).enrollment
    }

    /// Registers the device for pushes, once the activation is active.
    ///
    /// Older servers know other names of the push services, so a server that can't make sense of
    /// the newer one is told the older one, once; those have no environments.
    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        guard let deviceToken else {
            throw PushError(.unsupported, "PowerAuth has no call that takes a token away.")
        }
        var reply = try await register(Registration(deviceToken, isOlder: false), of: account)
        if reply.refusal == .invalidRequest {
            reply = try await register(Registration(deviceToken, isOlder: true), of: account)
        }
        guard reply.isSuccess else {
            throw await channel.failure(reply, of: account, factors: .possession)
        }
    }

    private func register(
        _ registration: Registration, of account: Account
    ) async throws(PushError) -> HTTPReply {
        try await channel.sendWithToken(
            account, "/api/push/device/register/token", body: registration.body.data)
    }

    /// A device token in the server's words.
    private struct Registration {
        let body: JSON

        init(_ deviceToken: DeviceToken, isOlder: Bool) {
            var request: JSON.Object
            switch deviceToken {
            case .apns(let hex, let isSandbox):
                request = ["platform": .string(isOlder ? "ios" : "apns")]
                if !isOlder {
                    request["environment"] = .string(isSandbox ? "development" : "production")
                }
                request["token"] = .string(hex.uppercased())
            case .fcm(let text):
                request = [
                    "platform": .string(isOlder ? "android" : "fcm"), "token": .string(text),
                ]
            }
            body = ["requestObject": .object(request)]
        }
    }

    /// The code of an invitation; `nil` if it isn't one of this vendor's.
    ///
    /// An attacker who swaps a scanned code would have the device activated for someone else, so it
    /// must be signed. What the user types can't be.
    private func code(in invitation: Invitation) throws(PushError) -> ActivationCode? {
        let secret: Secret
        let isScanned: Bool
        switch invitation {
        case .scanned(let text): (secret, isScanned) = (text, true)
        case .typed(let text): (secret, isScanned) = (text, false)
        case .credentials: return nil
        }
        let text = secret.copiedText()
        let isSigned = isScanned || text.utf8.contains(UInt8(ascii: "#"))
        do throws(PushError) {
            try SignedActivationCode.refuseRecovery(text)
            guard isSigned else { return try typed(text) }
            guard SignedActivationCode.hasShape(of: text) else { return nil }
            let code = try SignedActivationCode(scanned: text)
            try code.verify(by: configuration.application)
            return code.code
        } catch {
            throw PushError(.invalidInvitation, error.reason, underlying: error)
        }
    }

    private func typed(_ text: String) throws(PushError) -> ActivationCode? {
        do throws(PushError) {
            return try ActivationCode.typed(text)
        } catch {
            // Mistyped, or another vendor's.
            guard SignedActivationCode.hasShape(of: text) else { return nil }
            throw error
        }
    }
}

// MARK: Removing

extension Activations {
    /// Ends the activation: at the server, unless it ends on this device alone, then here. Where
    /// the server would take it, the user is asked for two factors, as it wants them.
    ///
    /// Nothing is removed if the user gives up, a proof is wrong or the server can't be asked:
    /// without the keys nobody could remove it there later.
    ///
    /// - Throws: `PushError`; with the code `blocked` it's removed on this device alone, as the
    ///   server takes nothing from a blocked activation, or from one whose counter it has lost;
    ///   with `malformed`, as what was on record is damaged.
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        try await deleteIfDamaged(account)
        switch try await place == .device ? .gone : stateToRemove(account) {
        case .gone: break
        case .uncommitted:
            // It ends by itself at the server, unless the back office commits it all the same.
            channel.notice("An activation was removed before it was committed.", at: account.id)
        case .refusing(let reason):
            try await channel.delete(account)
            throw PushError(
                .blocked, "Removed here, but the server couldn't be told: \(reason)")
        case .active:
            try await removeAtServer(account)
        }
        try await channel.delete(account)
    }

    /// How a server would take the removal.
    private enum RemovalState {
        case active
        case gone
        case uncommitted
        case refusing(String)
    }

    private func deleteIfDamaged(_ account: Account) async throws(PushError) {
        do throws(PushError) {
            _ = try account.record
        } catch {
            try await channel.delete(account)
            throw PushError(
                .malformed,
                "Removed here; what was on record was damaged, so the server wasn't told.",
                underlying: error)
        }
    }

    /// What the server says now, except where it has said already that it removed the activation:
    /// all else that ends an enrollment here may have been passing.
    private func stateToRemove(_ account: Account) async throws(PushError) -> RemovalState {
        guard try account.record.locked != nil else { return .gone }
        let status = try await channel.status(of: account)
        switch status.enrollment.state {
        case .active: return .active
        case .pending: return .uncommitted
        case .needsReenrollment where status.blob.map(\.state) != .removed && status.blob != nil:
            return .refusing("it takes no signature of this device any more.")
        case .needsReenrollment: return .gone
        case .blocked, .movedAway: return .refusing("the activation is blocked.")
        }
    }

    private func removeAtServer(_ account: Account) async throws(PushError) {
        let factors = try await channel.twoFactors(of: account, to: "remove the activation")
        let reply = try await channel.signed(
            account, .remove, body: JSON.object([:]).data, factors: factors)
        guard !reply.isSuccess else { return }
        let failure = await channel.failure(reply, of: account, factors: factors)
        // Removed meanwhile: that is what was asked for.
        guard failure.code == .unknownEnrollment else { throw failure }
    }
}
