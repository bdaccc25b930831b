import PushCore

/// An activation that is on record, and that its manager hasn't confirmed yet.
struct PendingActivation {
    let access: XignInAccess
    let account: Account

    /// Asks for the activation, and stores it.
    ///
    /// - Returns: The enrollment; still pending if the reply was lost.
    func activate(deviceToken: DeviceToken?, again: Bool) async throws(PushError) -> Enrollment {
        let reply: XignInReply<XignInActivation>
        do throws(PushError) {
            reply = try await access.format.activate(account, using: access)
        } catch {
            switch error.code {
            // The manager may have made the activation, and the same keys get it again.
            case .interrupted, .oversizedReply, .server: return account.enrollment
            case .storage, .conflict: throw error
            default: break
            }
            // An earlier copy may have arrived, though this one didn't.
            if !again { try await access.forget(account) }
            throw error
        }
        switch reply {
        case .success(let activation):
            return try await confirm(activation, deviceToken: deviceToken)
        case .failure(let refusal):
            // An earlier copy may have made the activation, unless the manager says that the link
            // brings none any more.
            if !again || refusal.endsLink { try await access.forget(account) }
            throw refusal.errorWhilePersonalizing
        }
    }

    /// Goes on with an activation whose answer was lost, by the same link: with the same keys, and
    /// with the PIN of the first time, which is the one that the manager may have.
    ///
    /// - Throws: `PushError` with the code `alreadyEnrolled` for any other link: one of a stranger
    ///   could take over the name of a manager.
    func resume(by link: Secret) async throws(PushError) -> Enrollment {
        let record = try account.credential(as: XignInRecord.self)
        guard account.enrollment.state == .pending(.unconfirmed), record.isAskedFor(by: link)
        else { throw Self.alreadyEnrolled }
        return try await activate(deviceToken: nil, again: true)
    }

    /// Asks again for an activation whose answer was lost.
    func refresh() async throws(PushError) -> Enrollment {
        switch try await access.format.activate(account, using: access) {
        case .success(let activation):
            return try await confirm(activation, deviceToken: nil)
        case .failure(let refusal):
            guard refusal.endsLink else { throw refusal.errorWhilePersonalizing }
            // The link is spent or too old, and nothing brings this activation back.
            return try await ManagerReplies(account: account).flag()
        }
    }

    private func confirm(
        _ activation: XignInActivation, deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        do throws(PushError) {
            return try await keep(activation, deviceToken: deviceToken)
        } catch  where error.code == .storage {
            throw PushError(
                error.code,
                "\(error.reason) The manager has made the activation: it stays pending here, and a "
                    + "refresh brings it.", underlying: error)
        }
    }

    private func keep(
        _ activation: XignInActivation, deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        try await account.change { (record: inout XignInRecord, enrollment) in
            record.confirm(activation.record)
            let old = enrollment
            enrollment = Enrollment(
                id: old.id, issuer: old.issuer, account: activation.account, host: old.host,
                port: old.port, state: .active, created: old.created)
            // After a lost reply the core tells the token again, as it may have changed meanwhile.
            enrollment.deviceToken = deviceToken
        }
        return account.enrollment
    }

    static let alreadyEnrolled = PushError(
        .alreadyEnrolled,
        "There is an activation at this manager: remove it first, or refresh it if it is pending.")
}
