import PushCore

struct PowerAuthEnroller: Enroller {
    let provider: PowerAuth

    var configuration: PowerAuthConfiguration { provider.configuration }
    var environment: Environment { provider.environment }
    var channel: PowerAuthChannel { provider.channel }
    var vault: Vault { provider.vault }

    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard try code(in: invitation) != nil else { return nil }
        var asks: [Factor] = [.newPIN]
        if configuration.asksActivationOTP { asks.append(.code("activation OTP")) }
        return Offer(
            provider: provider.id, invitation: invitation,
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
