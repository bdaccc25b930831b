import PushCore

extension Delta: Enroller {
    /// Reads `delta:ACCOUNT:CODE`, or another name for the first part.
    func offer(_ invitation: Invitation) throws(PushError) -> Offer? {
        guard case .scanned(let secret) = invitation else { return nil }
        let text = secret.copiedText()
        let parts = text.split(separator: ":")
        guard parts.count == 3, parts[0] == id.rawValue else { return nil }
        return Offer(
            provider: id, invitation: invitation, issuer: "Delta", account: String(parts[1]),
            host: DeltaWire.host)
    }

    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard case .scanned(let secret) = offer.invitation, let account = offer.account else {
            throw PushError(.invalidInvitation, "It isn't Delta's.")
        }
        let text = secret.copiedText()
        let code = text.split(separator: ":").last.map(String.init) ?? ""
        let key = hex(8)
        var enrollment = Enrollment(
            id: Enrollment.ID("\(account)-\(hex(3))", of: id), issuer: "Delta", account: account,
            host: DeltaWire.host, state: .pending(.unconfirmed), created: environment.clock.now)
        enrollment.deviceToken = deviceToken
        let record = SecretRecord(fields: [:], secrets: [Secret(copying: key)])
        if mutation != .enrollsUnwritten {
            try await vault.create(Credential(enrollment, secret: record.sealed))
        }
        let confirmed = try await send(enrollment, code: code, key: key)
        if mutation == .enrollsUnwritten {
            guard confirmed else { throw PushError(.interrupted, "Whatever.") }
            enrollment.state = .active
            try await vault.create(Credential(enrollment, secret: record.sealed))
            return enrollment
        }
        guard confirmed else { return enrollment }
        return try await vault.update(enrollment.id) { credential in
            credential.enrollment.state = .active
            return credential.enrollment
        }
    }

    /// Asks to be enrolled; `false` if nobody knows whether the server heard it.
    private func send(
        _ enrollment: Enrollment, code: String, key: String
    ) async throws(PushError) -> Bool {
        let members: JSON.Object = [
            "e": .string(enrollment.id.name), "k": .string(key), "code": .string(code),
            "account": .string(enrollment.account ?? ""), "p": .string(id.rawValue),
            "token": DeltaWire.token(enrollment.deviceToken),
        ]
        do throws(PushError) {
            let reply = try await enroll(members, key: key)
            if reply.status == 200 { return true }
            try await vault.delete(enrollment.id)
            throw PushError(.invalidInvitation, "The code is used up.")
        } catch {
            switch error.code {
            case .unreachable, .cancelled:
                try await vault.delete(enrollment.id)
                throw error
            case .interrupted, .server: return false
            default: throw error
            }
        }
    }

    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        guard mutation != .tellsNoToken else { return }
        let members: JSON.Object = ["token": DeltaWire.token(deviceToken)]
        let reply = try await exchange("/token", members, at: enrollment)
        guard reply.status == 200 else {
            throw PushError(.server(status: reply.status), "Delta doesn't know the device.")
        }
    }

    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment {
        let reply = try await exchange("/state", [:], at: enrollment)
        return try await vault.update(enrollment) { credential in
            credential.enrollment.state = reply.status == 200 ? .active : .needsReenrollment
            return credential.enrollment
        }
    }

    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError) {
        _ = try await exchange("/remove", [:], at: enrollment)
        try await vault.delete(enrollment)
    }

    private func hex(_ count: Int) -> String {
        environment.random.bytes(count).withBytes { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
