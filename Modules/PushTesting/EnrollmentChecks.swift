import PushCore

/// What an offer and an enrollment are where nothing goes wrong.
enum EnrollmentCheck: VendorCheck {
    static let topic = "enrollment"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let phone = try await CheckedPhone(vendor())
        try await checkOffers(phone, &findings)
        let id = try await phone.enroll(phone.fixtures.users.one)
        let enrollment = try await phone.authenticator.enrollment(id)
        findings.expect(enrollment?.state == .active, "an enrollment doesn't become active")
        findings.expect(id.provider == phone.provider.id, "an enrollment is another provider's")
        try await checkUse(phone, &findings)
        if await phone.network.hasForeign {
            findings.note(
                "a request isn't the provider's: expected an environment by scoped(to:), so that "
                    + "servers' times and pauses count for this provider alone")
        }
        try await phone.searchForSecrets(&findings)
        try await phone.authenticator.remove(id, from: .device)
        findings.expect(
            try await phone.accounts.account(id) == nil, "what was removed is still in the store")
    }

    /// Only the vendor's own codes lead to an offer.
    private static func checkOffers(
        _ phone: CheckedPhone, _ findings: inout Findings
    ) async throws(PushError) {
        for text in ["hello", "https://www.example.com/", "otpauth://other/a?secret=GEZDGNBV", ""] {
            let offer = Result { () throws(PushError) in
                try phone.provider.enroller.offer(.scanned(text: text))
            }
            guard case .success(nil) = offer else {
                findings.note("a stranger's code isn't left alone: “\(text)”")
                continue
            }
        }
        let invitation = try await phone.invitation(for: phone.fixtures.users.one)
        let offer = try phone.provider.enroller.offer(invitation)
        findings.expect(offer != nil, "the vendor's invitation leads to no offer")
        findings.expect(
            offer.map { $0.provider == phone.provider.id } ?? true,
            "an offer is another provider's")
    }

    /// A login is pushed, shown, approved.
    static func checkUse(
        _ phone: CheckedPhone, _ findings: inout Findings, of user: String? = nil,
        after what: String = ""
    ) async throws(PushError) {
        let (login, challenge) = try await phone.login(of: user ?? phone.fixtures.users.one)
        let yes = phone.resolution(isYes: true, login, challenge.prompt)
        _ = await phone.resolve(challenge, with: yes)
        findings.expect(
            try await phone.isTaken(login, isYes: true), "an enrollment can't be used\(what)")
    }
}

/// What is left of an enrollment of which an exchange went wrong.
enum TroubledEnrollmentCheck: VendorCheck {
    static let topic = "enrollment with a spoiled exchange"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        for trouble in SpoiledNetwork.Trouble.whole {
            try await spoilExchanges(by: trouble) { (exchange, trouble) throws(PushError) in
                try await TroubledEnrollment(phone: CheckedPhone(vendor()), trouble: trouble)
                    .check(at: exchange, &findings)
            }
        }
    }
}

/// What is left of an enrollment to which the server says something else than it means.
enum ChangedEnrollmentCheck: VendorCheck {
    static let topic = "enrollment with a changed reply"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        try await changeReplies { (exchange, trouble) throws(PushError) in
            try await TroubledEnrollment(phone: CheckedPhone(vendor()), trouble: trouble)
                .check(at: exchange, &findings)
        }
    }
}

private struct TroubledEnrollment {
    let phone: CheckedPhone
    let trouble: SpoiledNetwork.Trouble

    func check(
        at exchange: Int, _ findings: inout Findings
    ) async throws(PushError) -> SpoiledNetwork.Heard {
        let invitation = try await phone.invitation(for: phone.fixtures.users.one)
        await phone.network.spoil(exchange, by: trouble)
        let enrolled = await phone.attempt { () async throws(PushError) in
            try await phone.enroll(with: invitation)
        }
        let heard = await phone.network.heal()
        guard let spoiling = heard.spoiling else { return heard }
        // Another name, key or word of the server's own is what an enrollment then goes by.
        guard ![.reworded, .reversed].contains(spoiling.kind) else {
            try await phone.searchForSecrets(&findings)
            return heard
        }
        let what = " after \(spoiling.summary)"
        try await startAgain()
        var user = phone.fixtures.users.one
        var active = try await phone.authenticator.enrollments().filter { $0.state == .active }
        if active.isEmpty {
            let halves = try await phone.authenticator.enrollments()
            findings.expect(
                (try? enrolled.get()) == nil || !halves.isEmpty,
                "an enrollment that failed is said to be done\(what)")
            // What the app does with half an enrollment before the user tries again.
            for half in halves { try await phone.authenticator.remove(half.id, from: .device) }
            // What reached nobody spent nothing. What the server took is the user's device to the server,
            // which may send it pushes or take no second one, so somebody else tries then.
            let isSpent = trouble != .refused || exchange > 0
            if trouble == .lostReply || spoiling.isServers { user = phone.fixtures.users.other }
            let next = isSpent ? try await phone.invitation(for: user) : invitation
            let retried = await phone.attempt { () async throws(PushError) in
                try await phone.enroll(with: next)
            }
            if case .failure(let error) = retried {
                findings.note("nobody can enroll\(what): \(error.code)")
            }
            try await startAgain()
            active = try await phone.authenticator.enrollments().filter { $0.state == .active }
        }
        if !active.isEmpty {
            let used = await phone.attempt { () async throws(PushError) in
                try await EnrollmentCheck.checkUse(phone, &findings, of: user, after: what)
            }
            if case .failure(let error) = used {
                findings.note("an enrollment stands that can't be used\(what): \(error.code)")
            }
        }
        try await phone.searchForSecrets(&findings)
        return heard
    }

    /// What an app does at its next start.
    private func startAgain() async throws(PushError) {
        phone.fixtures.clock.advance(by: .seconds(20))
        try await phone.authenticator.resume()
        for enrollment in try await phone.authenticator.enrollments()
        where enrollment.state != .active {
            _ = await phone.attempt { () async throws(PushError) in
                try await phone.authenticator.refresh(enrollment.id)
            }
        }
    }
}

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
                secret.count >= 8
                    && written.withUnsafeBytes { written in secret.withBytes(written.holds) }
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
