import PushCore

extension Acme: Enroller {
    /// Reads `acme:ACCOUNT`, or `acme:ACCOUNT:CODE` where the server takes a code once.
    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard case .scanned(let secret) = invitation else { return nil }
        let parts = secret.copiedText().split(
            separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0] == "acme" else { return nil }
        guard !parts[1].isEmpty else {
            throw PushError(.invalidInvitation, "The account is missing.")
        }
        return Invitation.Offer(
            provider: id, invitation: invitation, issuer: "Acme", account: String(parts[1]),
            host: host, asks: options.asks)
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        let account = offer.account ?? ""
        var members: JSON.Object = [
            "provider": .string(id.rawValue), "token": AcmeWire.token(deviceToken),
            "pin": .bool(evidence.contains { if case .pin = $0 { true } else { false } }),
        ]
        var name = account
        if case .scanned(let secret) = offer.invitation {
            let parts = secret.copiedText().split(separator: ":", maxSplits: 2)
            if parts.count == 3 {
                members["code"] = .string(String(parts[2]))
                name += "-\(parts[2])"
            }
        }
        var enrollment = Enrollment(
            id: Enrollment.ID(name, of: id), issuer: offer.issuer, account: account, host: host,
            state: options.state, created: environment.clock.now)
        enrollment.deviceToken = deviceToken
        let key = AcmeWire.key(of: name)
        let record = Secret.Record(fields: [:], secrets: [Secret(copying: key)])
        guard options.isTwoPhase else {
            _ = try await confirm(enrollment, members, key)
            try await accounts.create(enrollment, record)
            return enrollment
        }
        var half = enrollment
        half.state = .pending(.unconfirmed)
        let made = try await accounts.create(half, record)
        guard try await isConfirmed(half, members, key) else { return half }
        let state = options.state
        return try await made.changeEnrollment { enrollment in
            enrollment.state = state
            return enrollment
        }
    }

    private func confirm(
        _ enrollment: Enrollment, _ members: JSON.Object, _ key: String
    ) async throws(PushError) {
        let (status, body) = try await post("/enroll", members, of: enrollment.id, key: key)
        guard body["why"] != "code" else {
            throw PushError(.invalidInvitation, "The code is used up.")
        }
        guard status == 200 else { throw PushError(.server(status: status), "Acme refused.") }
    }

    /// Asks to be enrolled; `false` if nobody knows whether the server heard it.
    private func isConfirmed(
        _ half: Enrollment, _ members: JSON.Object, _ key: String
    ) async throws(PushError) -> Bool {
        do throws(PushError) {
            try await confirm(half, members, key)
            return true
        } catch {
            switch error.code {
            case .unreachable, .cancelled, .invalidInvitation:
                try await accounts.delete(half.id)
                throw error
            case .interrupted, .server: return false
            default: throw error
            }
        }
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        guard capabilities.contains(.tokenUpdate) else {
            throw PushError(.unsupported, "Acme has no call for it.")
        }
        try await ask("/token", ["token": AcmeWire.token(deviceToken)], of: account)
    }

    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        let (status, body) = try await exchange("/state", [:], of: account)
        let said: Enrollment.State = body["blocked"]?.bool == true ? .blocked("policy") : .active
        return try await account.changeEnrollment { enrollment in
            enrollment.state = status == 200 ? said : .needsReenrollment
            return enrollment
        }
    }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        _ = try await exchange("/remove", [:], of: account)
        try await accounts.delete(account.id)
    }
}
