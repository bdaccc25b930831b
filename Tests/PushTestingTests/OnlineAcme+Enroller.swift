import PushCore

struct OnlineAcmeEnroller: Enroller {
    let provider: OnlineAcme

    private var flaw: OnlineAcme.Flaw? { provider.flaw }
    private var accounts: Accounts { provider.core.accounts }

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard let text = invitation.scannedText,
            text.hasPrefix("acme:") || flaw == .offersAnything
        else { return nil }
        return Invitation.Offer(
            provider: flaw == .offersForAnother ? "another" : provider.id, invitation: invitation,
            asks: [[.newBiometry]])
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        let code = offer.invitation.scannedText ?? ""
        if flaw == .spendsInvitations, !provider.memory.withLock({ $0.insert(code).inserted }) {
            throw PushError(.notFound, "It was used.")
        }
        if flaw == .keepsWhatFailed { try await create("ada", "no key at all") }
        do throws(PushError) {
            let reply = try await provider.call(
                "/enroll", ["code": .string(code)], expecting: "enrolled")
            let key = flaw == .enrollsUnread ? reply["key"]?.string ?? "" : reply["key"]?.string
            guard let user = reply["user"]?.string, !user.isEmpty, let key,
                !key.isEmpty || flaw == .enrollsUnread
            else {
                throw PushError(.malformed, "Acme's reply lacks a member.")
            }
            return try await create(user, key)
        } catch {
            switch (flaw, error.code) {
            case (.enrollsWithAnybody, .server(200)):
                return try await create("ada", "no key at all")
            case (.saysDone, .interrupted): return enrollment(of: "ada", key: "")
            default: throw error
            }
        }
    }

    @discardableResult
    private func create(_ user: String, _ key: String) async throws(PushError) -> Enrollment {
        let enrollment = enrollment(of: user, key: key)
        if flaw == .keepsSecrets { _ = provider.memory.withLock { $0.insert(key) } }
        // A later invitation replaces what an earlier one left.
        try await accounts.delete(enrollment.id)
        let claim = flaw == .tellsInName ? key : nil
        guard flaw == .escapesGuards else {
            try await accounts.create(enrollment, Secret(copying: key), claiming: claim)
            return enrollment
        }
        return try await Task.detached {
            await Result { () async throws(PushError) in
                try await accounts.create(enrollment, Secret(copying: key)).enrollment
            }
        }.value.get()
    }

    private func enrollment(of user: String, key: String) -> Enrollment {
        Enrollment(
            id: .init(user, of: provider.id), issuer: flaw == .tellsInEnrollment ? key : "Acme",
            state: flaw == .staysPending ? .pending(.unconfirmed) : .active,
            created: provider.environment.clock.now)
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {}

    func refresh(_ account: Account) async throws(PushError) -> Enrollment { account.enrollment }

    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
        if flaw != .removesNothing { try await accounts.delete(account.id) }
    }
}
