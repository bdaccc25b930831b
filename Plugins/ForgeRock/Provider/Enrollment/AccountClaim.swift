import PushCore

/// What makes an issuer's account the same, and who has it on this device.
///
/// An account is enrolled once. Half an enrollment, whose reply was lost, doesn't count, as AM may not
/// know it; but as AM may, it stays beside the next one, in a place of its own.
struct AccountClaim {
    /// How many enrollments of one account there can be, all but one of them half.
    private static let places = 4

    let vault: Vault
    let issuer: String?
    let account: String?

    /// What a new enrollment claims. Where all places are taken by halves, the oldest half goes.
    ///
    /// - Throws: `PushError` with the code `alreadyEnrolled` if the account is enrolled.
    func text() async throws(PushError) -> String {
        var free: String?
        var halves: [(text: String, enrollment: Enrollment)] = []
        for place in 0..<Self.places {
            let text = text(at: place)
            guard let holder = try await vault.holder(of: text) else {
                free = free ?? text
                continue
            }
            guard holder.state == .pending(.unconfirmed) else {
                throw PushError(
                    .alreadyEnrolled, "The issuer's account is enrolled on this device.")
            }
            halves.append((text, holder))
        }
        if let free { return free }
        guard let oldest = halves.min(by: { $0.enrollment.created < $1.enrollment.created }) else {
            return text(at: 0)
        }
        try await vault.delete(oldest.enrollment.id)
        return oldest.text
    }

    private func text(at place: Int) -> String {
        let names: [JSON] = [.string(issuer ?? ""), .string(account ?? "")]
        return JSON.array(names + [.number(JSON.Number(Int64(place)))]).text
    }
}
