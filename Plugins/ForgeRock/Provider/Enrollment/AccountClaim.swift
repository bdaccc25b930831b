import PushCore

/// What makes an issuer's account the same, and who has it on this device.
///
/// An account is enrolled once. Half an enrollment, whose reply was lost, doesn't count, as AM may not
/// know it; but as AM may, it stays beside the next one, in a place of its own.
struct AccountClaim {
    /// How many enrollments of one account there can be while one is made, all but one of them half.
    /// One place fewer is taken afterwards.
    private static let places = 5

    let accounts: Accounts
    let issuer: String?
    let account: String?

    /// What a new enrollment claims.
    ///
    /// - Throws: `PushError` with the code `alreadyEnrolled` if the account is enrolled.
    func text() async throws(PushError) -> String {
        var found = try await survey()
        if found.isWhole {
            throw PushError(.alreadyEnrolled, "The issuer's account is enrolled on this device.")
        }
        if found.free == nil {
            // Other processes fill the places at the same moment, or one was killed.
            try await trim(found.halves)
            found = try await survey()
        }
        guard let free = found.free else {
            throw PushError(
                .alreadyEnrolled, "The issuer's account is being enrolled on this device.")
        }
        return free
    }

    /// Looks again once AM has replied, as another process may have been faster, and makes room for the
    /// next enrollment: where this one has taken the last place, the oldest half goes.
    ///
    /// - Returns: Whether the account has another enrollment that is more than half.
    func settle(_ enrollment: Enrollment.ID) async throws(PushError) -> Bool {
        let others = try await survey(without: enrollment)
        try await trim(others.halves)
        return others.isWhole
    }

    private func trim(_ halves: [Enrollment]) async throws(PushError) {
        guard halves.count >= Self.places - 1,
            let oldest = halves.min(by: { $0.created < $1.created }),
            // A push may have confirmed it since.
            try await accounts.account(oldest.id)?.enrollment.state == .pending(.unconfirmed)
        else { return }
        try await accounts.delete(oldest.id)
    }

    private func survey(
        without own: Enrollment.ID? = nil
    ) async throws(PushError) -> (isWhole: Bool, halves: [Enrollment], free: String?) {
        var halves: [Enrollment] = []
        var isWhole = false
        var free: String?
        for place in 0..<Self.places {
            let text = text(at: place)
            guard let holder = try await accounts.holder(of: text) else {
                free = free ?? text
                continue
            }
            guard holder.id != own else { continue }
            if holder.state == .pending(.unconfirmed) {
                halves.append(holder)
            } else {
                isWhole = true
            }
        }
        return (isWhole, halves, free)
    }

    // MARK: One-time codes

    /// What a new enrollment claims that makes codes alone. An account has one by time and one by a
    /// counter, as in the vendor's apps.
    ///
    /// - Throws: `PushError` with the code `alreadyEnrolled` if the account has such codes.
    func text(ofCodes codes: OneTimeCodeParameters) async throws(PushError) -> String {
        for place in 0..<Self.places {
            guard let holder = try await accounts.holder(of: text(at: place)),
                holder.state != .pending(.unconfirmed),
                let account = try await accounts.account(holder.id),
                try account.credential(as: ForgeRockCredential.self).codes?.isCounted
                    == codes.isCounted
            else { continue }
            throw Self.hasCodes
        }
        return text(ofCodes: codes.isCounted)
    }

    /// Refuses codes that would come with a new enrollment for pushes, if the account has codes.
    func requireNoCodes() async throws(PushError) {
        for isCounted in [false, true]
        where try await accounts.holder(of: text(ofCodes: isCounted)) != nil {
            throw Self.hasCodes
        }
    }

    private static let hasCodes = PushError(
        .alreadyEnrolled, "The issuer's account has one-time codes on this device.")

    private func text(ofCodes isCounted: Bool) -> String {
        let names: [JSON] = [.string(issuer ?? ""), .string(account ?? "")]
        return JSON.array(names + [isCounted ? "hotp" : "totp"]).text
    }

    private func text(at place: Int) -> String {
        let names: [JSON] = [.string(issuer ?? ""), .string(account ?? "")]
        return JSON.array(names + [.integer(place)]).text
    }
}
