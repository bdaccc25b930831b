import PushCore

extension Activations: Enroller {
    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard try code(in: invitation) != nil else { return nil }
        var asks: [Factor] = [.newPIN]
        if configuration.asksActivationOTP { asks.append(.code("activation OTP")) }
        return Offer(
            provider: channel.provider, invitation: invitation,
            host: configuration.enrollmentServer.host,
            asks: configuration.offersBiometry ? [asks + [.newBiometry], asks] : [asks])
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let code = try code(in: offer.invitation) else {
            throw PushError(.invalidInvitation, "Not an activation code.")
        }
        return try await activated(code, evidence)
    }

    /// Asks for the state: until the activation is committed, again and again, or after a push.
    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        try await channel.status(of: enrollment).enrollment
    }

    /// Registers the device for pushes, once the activation is active.
    ///
    /// Older servers know other names of the push services, so a server that can't make sense of the
    /// newer one is told the older one, once; those have no environments.
    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        guard let deviceToken else {
            throw PushError(.unsupported, "PowerAuth has no call that takes a token away.")
        }
        var reply = try await register(
            Registration(deviceToken, isOlder: false), of: enrollment)
        if reply.refusal == .invalidRequest {
            reply = try await register(
                Registration(deviceToken, isOlder: true), of: enrollment)
        }
        guard reply.isSuccess else {
            throw await channel.failure(reply, of: enrollment, factors: .possession)
        }
    }

    private func register(
        _ registration: Registration, of enrollment: Enrollment.ID
    ) async throws(PushError) -> HTTPReply {
        try await channel.withToken(
            enrollment, "/api/push/device/register/token", body: registration.body.data)
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
    /// Whoever swaps a scanned code has the device activated for someone else, so it must be signed.
    /// What the user types can't be.
    private func code(in invitation: Invitation) throws(PushError) -> ActivationCode? {
        let secret: Secret
        let isScanned: Bool
        switch invitation {
        case .scanned(let text): (secret, isScanned) = (text, true)
        case .typed(let text): (secret, isScanned) = (text, false)
        default: return nil
        }
        let text = secret.withBytes { String(decoding: $0, as: UTF8.self) }
        let isSigned = isScanned || text.utf8.contains(UInt8(ascii: "#"))
        do throws(PushError) {
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
