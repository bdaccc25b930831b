import PushCore

/// What a guard keeps of an enrollment, and what the rest is without it.
enum GuardCheck: VendorCheck {
    static let topic = "a guard"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let phone = try await CheckedPhone(vendor())
        guard let part = phone.provider.guarded else { return }
        let invitation = try await phone.invitation(for: phone.fixtures.users.one)
        let id: Enrollment.ID
        do throws(PushError) {
            id = try await phone.enroll(with: invitation, guardedBy: .deviceOwner)
        } catch  where error.code == .unsupported && !part.uses.contains(.approval) {
            // Such as codes, which not every invitation brings.
            return
        }
        findings.expect(
            try await phone.authenticator.enrollment(id)?.guardPolicy == .deviceOwner,
            "an enrollment isn't guarded as it was chosen")
        var secrets: [Secret] = []
        for sealed in await phone.keyGuard.parts.values {
            secrets += try Secret.Record(reading: sealed).secrets
        }
        findings.expect(!secrets.isEmpty, "a guard keeps nothing of a guarded enrollment")
        let account = try await phone.accounts.existing(id)
        if let type = part.credential { try check(type, secrets, account, &findings) }
        try await EnrollmentCheck.checkUse(phone, &findings, after: " that is guarded")
        if part.uses.contains(.approval) {
            findings.expect(
                await !phone.keyGuard.requests.isEmpty, "a yes needs nothing that is guarded")
        }
        for written in await phone.store.values {
            let isOpen = secrets.contains { secret in
                secret.count >= 8 && written.firstRange(of: secret.withBytes { Array($0) }) != nil
            }
            if isOpen { findings.note("the store holds what a guard keeps") }
        }
        try await phone.authenticator.remove(id, from: .device)
        findings.expect(
            await phone.keyGuard.parts.isEmpty, "a guard keeps something of what was removed")
    }

    /// The part comes out of the provider's half as a whole, and goes in again as it was.
    private static func check<Half: GuardedCredential>(
        _ type: Half.Type, _ secrets: [Secret], _ account: Account, _ findings: inout Findings
    ) throws(PushError) {
        var half = try Half(reading: account.credential(as: Half.self).sealed)
        let locked = half.sealed
        findings.expect(half.answerSecrets.isEmpty, "a locked credential has answerSecrets")
        half.answerSecrets = secrets
        let open = try Half(reading: half.sealed)
        findings.expect(
            open.answerSecrets.count == secrets.count
                && zip(open.answerSecrets, secrets).allSatisfy { $0.isEqualInConstantTime(to: $1) },
            "answerSecrets aren't what was set")
        half.answerSecrets = []
        findings.expect(
            half.sealed.isEqualInConstantTime(to: locked),
            "a credential whose answerSecrets went in and out is another one")
    }
}
